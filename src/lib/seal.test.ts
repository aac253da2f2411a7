import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSeal } from './seal.ts';

it('gives back what was sealed, until it is too old', () => {
  let now = 0;
  const seal = createSeal<{ a: number }>(() => now);
  const text = seal.seal({ a: 1 }, 1_000);
  expect(seal.open(text)).toEqual({ a: 1 });
  now = 1_001;
  expect(seal.open(text)).toBeUndefined();
});

it('refuses text of another key, altered text and any other text', () => {
  const seal = createSeal<string>();
  const text = seal.seal('x', 1_000);
  expect(createSeal<string>().open(text)).toBeUndefined();
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.string(), (at, other) => {
      const altered = `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
      // The last letter of base64 carries bits that are not used, so it alone may differ without effect.
      if (at !== text.length - 1) expect(seal.open(altered)).toBeUndefined();
      expect(seal.open(other)).toBeUndefined();
    }),
  );
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { orNull, toPresent, toPreview } from './text.ts';

it.each([undefined, '', ' ', '\n\t ', '\u00a0'])('keeps %j as nothing', (text) => {
  expect(orNull(text)).toBeNull();
});

it('keeps text as it was written', () => {
  expect(orNull(' two  words\n')).toBe(' two  words\n');
});

it('shows what fits whole, on one line', () => {
  expect(toPreview(' a\n b\tc ', 5)).toBe('a b c');
});

it.each([
  ['words', 'abcdef', 4, 'abc…'],
  ['a pair of surrogates', 'ab🧵cd', 4, 'ab🧵…'],
  ['an emoji of several people', 'ab👩‍👩‍👧', 6, 'ab…'],
  ['a flag', 'ab🇩🇪c', 4, 'ab…'],
  ['a letter and its mark', 'abe\u0301c', 4, 'ab…'],
])('cuts beside %s and not inside', (_, text, length, shown) => {
  expect(toPreview(text, length)).toBe(shown);
});

it('is never longer than asked for, and always the beginning of the text', () => {
  const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 20 }), (text, length) => {
      const shown = toPreview(text, length);
      expect([...shown].length).toBeLessThanOrEqual(length);
      const line = text.replaceAll(/\s+/gu, ' ').trim();
      expect(shown === line || line.startsWith(shown.slice(0, -1))).toBe(true);
    }),
  );
});

it('leaves out what is null or undefined, and nothing else', () => {
  const row = { a: 0, b: '', c: false, d: null, e: undefined };
  expect(Object.entries(toPresent(row))).toEqual([
    ['a', 0],
    ['b', ''],
    ['c', false],
  ]);
});

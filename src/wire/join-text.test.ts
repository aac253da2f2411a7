import fc from 'fast-check';
import { expect, it } from 'vitest';
import { joinText } from './join-text.ts';

/** Bytes cut at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1))), bytes.length].sort(
    (a, b) => a - b,
  );
  return ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
}

it('makes the same text of pieces, wherever they were cut', () => {
  const unit = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(unit, fc.array(fc.nat()), (text, places) => {
      const bytes = Buffer.from(text);
      expect(joinText(cut(bytes, places))).toBe(bytes.toString('utf8').replace(/^\uFEFF/, ''));
    }),
  );
});

it('refuses whatever is not UTF-8, wherever it was cut', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.array(fc.nat()), (raw, places) => {
      const bytes = Buffer.from(raw);
      let whole: string | undefined;
      try {
        whole = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      } catch {}
      if (whole === undefined) expect(() => joinText(cut(bytes, places))).toThrow('not UTF-8');
      else expect(joinText(cut(bytes, places))).toBe(whole);
    }),
    { numRuns: 2_000 },
  );
});

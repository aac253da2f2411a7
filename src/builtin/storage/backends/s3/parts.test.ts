import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inPieces } from '../backend.contract.ts';
import { toParts } from './parts.ts';

it('cuts any content into full parts and a rest, whatever pieces it comes in', async () => {
  const sizes = fc.record({
    bytes: fc.uint8Array({ maxLength: 500 }),
    piece: fc.integer({ min: 1, max: 200 }),
    part: fc.integer({ min: 1, max: 100 }),
  });
  await fc.assert(
    fc.asyncProperty(sizes, async ({ bytes, piece, part }) => {
      const parts: { number: number; bytes: number[]; last: boolean }[] = [];
      for await (const { number, bytes: own, last } of toParts(inPieces(bytes, piece), part))
        parts.push({ number, bytes: [...own], last });
      expect(parts.flatMap((each) => each.bytes)).toEqual([...bytes]);
      expect(parts.length).toBe(Math.max(1, Math.ceil(bytes.length / part)));
      parts.forEach((each, index) => {
        const last = index === parts.length - 1;
        expect(each).toMatchObject({ number: index + 1, last });
        if (!last) expect(each.bytes.length).toBe(part);
      });
    }),
  );
});

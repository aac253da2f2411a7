import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseRange } from './range.ts';

it.each([
  [null, 'whole'],
  ['bytes=0-3', { start: 0, end: 3 }],
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=7-', { start: 7, end: 9 }],
  ['bytes=-4', { start: 6, end: 9 }],
  ['bytes=-40', { start: 0, end: 9 }],
  ['bytes=5-99', { start: 5, end: 9 }],
  ['bytes=10-', 'impossible'],
  ['bytes=-0', 'impossible'],
  ['bytes=5-3', 'whole'],
  ['bytes=0-1,4-5', 'whole'],
  ['bytes=-', 'whole'],
  ['lines=1-2', 'whole'],
  ['bytes=a-b', 'whole'],
])('reads %s of ten bytes as %o', (header, expected) => {
  expect(parseRange(header, 10)).toEqual(expected);
});

it('never asks for what is not there', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.nat(50), (from, to, size) => {
      for (const header of [`bytes=${from}-${to}`, `bytes=${from}-`, `bytes=-${to}`]) {
        const range = parseRange(header, size);
        if (typeof range === 'string') continue;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.end).toBeLessThan(size);
        expect(range.start).toBeLessThanOrEqual(range.end);
      }
    }),
  );
});

import { expect, it } from 'vitest';
import { toCount, toNextOffset, toPageText } from './page.ts';

it.each([
  [10, 0, 4, { next_offset: 4 }],
  [10, 4, 4, { next_offset: 8 }],
  [10, 8, 2, {}],
  [0, 0, 0, {}],
  // Rows may go between the count and the list; nobody should be sent round in circles for them.
  [10, 4, 0, {}],
])('of %i from %i on, after %i shown, the rest begins at %o', (total, start, shown, rest) => {
  expect(toNextOffset(total, start, shown)).toEqual(rest);
});

it('says how much was shown, and how to go on while there is more', () => {
  expect(toPageText('files', { total: 120, next_offset: 50 }, 50)).toBe(
    '50 of 120 files. Go on with offset 50.',
  );
  expect(toPageText('files', { total: 2 }, 2)).toBe('2 of 2 files.');
});

it('counts one thing and many', () => {
  expect([0, 1, 2].map((count) => toCount(count, 'note'))).toEqual(['0 notes', '1 note', '2 notes']);
});

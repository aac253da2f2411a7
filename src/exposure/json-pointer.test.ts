import { expect, it } from 'vitest';
import { followPointer } from './json-pointer.ts';

const root = { $defs: { 'a/b': { c: 1 }, 'x y': [{ d: 2 }], '100%': 3 } };

it.each([
  ['#', root],
  ['#/$defs/a~1b/c', 1],
  ['#/$defs/x%20y/0/d', 2],
  ['#/$defs/100%', 3],
  ['#/$defs/toString', undefined],
  ['#/$defs/x%20y/length', undefined],
  ['other.json#/$defs/100%', undefined],
])('follows %s', (reference, target) => {
  expect(followPointer(reference, root)).toBe(target);
});

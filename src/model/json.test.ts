import { expect, it } from 'vitest';
import { isSameJson, valueAt } from './json.ts';

it('a value is found by members and indices of its own, and by no others', () => {
  const document = { a: [{ b: null }] };
  expect(valueAt(document, [])).toBe(document);
  expect(valueAt(document, ['a', 0, 'b'])).toBeNull();
  for (const path of [['b'], ['a', 1], ['a', 0, 'b', 'c'], ['constructor'], ['a', 'map']])
    expect(valueAt(document, path)).toBeUndefined();
});

it('values are the same in any order of members, and null is not the same as none', () => {
  expect(isSameJson({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
  expect(isSameJson(undefined, undefined)).toBe(true);
  expect(isSameJson([1, 2], [2, 1])).toBe(false);
  expect(isSameJson(null, undefined)).toBe(false);
});

import { describe, expect, it } from 'vitest';
import { toNew } from './logs.ts';

describe('lines that are new', () => {
  it('are those after the ones seen before, however many were dropped at the front', () => {
    expect(toNew(['a', 'b'], ['a', 'b', 'c'])).toEqual(['c']);
    expect(toNew(['a', 'b', 'c'], ['b', 'c', 'd', 'e'])).toEqual(['d', 'e']);
    expect(toNew(['a'], ['x', 'y'])).toEqual(['x', 'y']);
    expect(toNew([], ['x'])).toEqual(['x']);
    expect(toNew(['a', 'b'], ['a', 'b'])).toEqual([]);
  });
});

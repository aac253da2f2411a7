import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUpstreamId, RESERVED_IDS, toUpstreamIds } from './ids.ts';

const names = fc.uniqueArray(
  fc.oneof(
    fc.string(),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom(
      'files',
      'Files',
      'FILES',
      'files-',
      'my files',
      'My_Files',
      '',
      '日本',
      '__proto__',
      'a--b',
    ),
    fc.constantFrom(...RESERVED_IDS),
  ),
  { maxLength: 12 },
);

describe('toUpstreamIds', () => {
  it('keeps a name that already is an id', () => {
    expect(toUpstreamIds(['github']).get('github')).toBe('github');
  });

  it('gives every name a well-formed id that is nobody else’s and no word of ours', () => {
    fc.assert(
      fc.property(names, (all) => {
        const ids = toUpstreamIds(all);
        expect([...ids.keys()].sort()).toEqual([...all].sort());
        expect(new Set(ids.values()).size).toBe(all.length);
        for (const id of ids.values()) {
          expect(isUpstreamId(id)).toBe(true);
          expect(RESERVED_IDS.has(id)).toBe(false);
        }
      }),
    );
  });

  it('does not depend on the order of the names', () => {
    const shuffled = names.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, ([all, other]) => {
        const [ids, again] = [toUpstreamIds(all), toUpstreamIds(other)];
        for (const name of all) expect(again.get(name)).toBe(ids.get(name));
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UpstreamId } from '../model/ids.ts';
import { assignNames, type OwnName, toLook } from './naming.ts';

const rules = { reserved: new Set(['thimble_tools']), maxLength: 48 };
const own = (upstream: string, name: string): OwnName => ({ upstream: upstream as UpstreamId, name });
const publicNames = (...names: OwnName[]) =>
  Object.fromEntries(assignNames(names, rules).map((n) => [`${n.upstream}:${n.name}`, n.publicName]));

describe('public names', () => {
  it('keeps a name that only one upstream has', () => {
    expect(publicNames(own('files', 'read'), own('web', 'fetch'))).toEqual({
      'files:read': 'read',
      'web:fetch': 'fetch',
    });
  });

  it('qualifies a name that two upstreams have, on both', () => {
    expect(publicNames(own('files', 'read'), own('mail', 'read'))).toEqual({
      'files:read': 'files__read',
      'mail:read': 'mail__read',
    });
  });

  it('qualifies names that only look alike, so neither passes for the other', () => {
    for (const twin of ['re\u0430d', 're\u200bad', 'READ', '\uff52ead', 'read ']) {
      const names = publicNames(own('files', 'read'), own('mail', twin));
      expect(names['files:read']).toBe('files__read');
      expect(names[`mail:${twin}`]).toMatch(/^mail__[A-Za-z0-9_-]+$/);
    }
  });

  it('takes hyphens and underscores for the same look', () => {
    expect(toLook('read-file')).toBe(toLook('read_file'));
  });

  it('never lets a literal name stand where a qualified one would', () => {
    const names = publicNames(own('a', 'x'), own('b', 'x'), own('c', 'a__x'));
    expect(names['c:a__x']).toBe('c__a__x');
    expect(names['a:x']).toMatch(/^a__x_[0-9a-f]{8}$/);
  });

  it('lets no name pose as a tool of another server', () => {
    const names = publicNames(own('files', 'read'), own('evil', 'files__read'), own('evil', 'evil__read'));
    expect(names['evil:files__read']).toBe('evil__files__read');
    expect(names['evil:evil__read']).toBe('evil__read');
  });

  it('keeps the reserved names of the gateway out of reach', () => {
    expect(publicNames(own('evil', 'thimble_tools'))['evil:thimble_tools']).toBe('evil__thimble_tools');
  });

  it('cuts what is too long and marks it with a digest of the tuple', () => {
    const name = publicNames(own('files', 'x'.repeat(80)))[`files:${'x'.repeat(80)}`];
    expect(name).toHaveLength(48);
    expect(name).toMatch(/_[0-9a-f]{8}$/);
  });

  it('gives any set of names distinct, well-formed public names that do not depend on order', () => {
    const upstream = fc.constantFrom('a', 'b', 'a-b', 'files');
    const name = fc.oneof(
      fc.constantFrom('x', 'X', 'a__x', 'b__x', 'thimble_tools', 'read_file', 'read-file', ''),
      fc.string({ maxLength: 60, unit: 'grapheme' }),
    );
    const set = fc.uniqueArray(fc.tuple(upstream, name), {
      selector: ([u, n]) => `${u}\0${n}`,
      maxLength: 40,
    });
    fc.assert(
      fc.property(set, fc.infiniteStream(fc.nat()), (pairs, random) => {
        const names = pairs.map(([u, n]) => own(u, n));
        const shuffled = names
          .map((value) => ({ value, at: random.next().value ?? 0 }))
          .sort((a, b) => a.at - b.at)
          .map(({ value }) => value);
        const first = assignNames(names, rules);
        expect(assignNames(shuffled, rules)).toEqual(first);
        expect(new Set(first.map((n) => n.publicName)).size).toBe(names.length);
        for (const { publicName } of first) expect(publicName).toMatch(/^[A-Za-z0-9_-]{1,48}$/);
      }),
      { numRuns: 2_000 },
    );
  });
});

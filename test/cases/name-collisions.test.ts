/** Pairs of tools whose names collide or look alike: both stay callable, neither takes the other's place. */
import { describe, expect, it } from 'vitest';
import { direct } from '../../src/exposure/direct/mode.ts';
import { openMode } from '../../src/exposure/exposure.contract.ts';
import { toUpstreamIds } from '../../src/model/ids.ts';
import { readCases } from './shared.ts';

interface Collision {
  readonly id: string;
  readonly relation: string;
  readonly a: { readonly server: string; readonly tool: string };
  readonly b: { readonly server: string; readonly tool: string };
}

describe.each(readCases<Collision>('name_collisions'))('$id $relation', ({ a, b }) => {
  const ids = toUpstreamIds([a.server, b.server]);
  const idA = ids.get(a.server) ?? '';
  const idB = ids.get(b.server) ?? '';
  const offers = { [idA]: { tools: [a.tool] }, [idB]: { tools: [b.tool] } };
  const backwards = { [idB]: { tools: [b.tool] }, [idA]: { tools: [a.tool] } };

  it('keeps the servers apart', () => {
    expect(idA).not.toBe(idB);
    expect(idA).toBe(a.server);
  });

  it('routes each public name to its own server, whatever came first', async () => {
    for (const order of [offers, backwards]) {
      const { view, exposure, upstreams } = openMode(direct, order);
      const entries = view().list('tool');
      expect(new Set(entries.map((entry) => entry.publicName)).size).toBe(2);
      for (const { publicName, upstream, name } of entries) {
        await exposure.call(publicName, { name: publicName }, view());
        expect(upstreams.seen.at(-1)).toMatchObject({ upstream, params: { name } });
        expect(publicName).toMatch(/^[A-Za-z0-9_-]{1,48}$/);
      }
    }
  });

  it('shows the same names in either order and flags what had to be renamed', () => {
    const shown = (order: typeof offers) => {
      const { view } = openMode(direct, order);
      return view()
        .list('tool')
        .map(({ upstream, publicName, renamed }) => ({ upstream, publicName, renamed }));
    };
    expect(shown(offers)).toEqual(shown(backwards));
    const second = shown(offers).find(({ upstream }) => upstream === idB);
    const harmless = b.tool === 'a__read_file';
    expect(second?.renamed === undefined).toBe(harmless);
  });
});

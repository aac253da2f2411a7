import { describe, expect, it } from 'vitest';
import { createContext } from '../../test/support/contexts.ts';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createFakeUpstreams, type FakeOffer } from '../../test/support/fake-upstreams.ts';
import { createFeed } from '../events/feed.ts';
import type { UpstreamId } from '../model/ids.ts';
import { openCatalog } from './open-catalog.ts';

function setUp(offers: Record<string, FakeOffer>) {
  const upstreams = createFakeUpstreams(offers);
  const clock = createFakeClock();
  const feed = createFeed();
  const names = { reserved: new Set<string>(), maxLength: 48 };
  const catalog = openCatalog({ upstreams, names, feed, clock });
  const toolNames = () => catalog.current.list('tool').map((entry) => entry.publicName);
  return { upstreams, clock, feed, catalog, toolNames };
}

describe('the catalogue', () => {
  it('shows all upstreams sorted, whatever order they came in', () => {
    const { toolNames } = setUp({ web: { tools: ['fetch'] }, files: { tools: ['write', 'read'] } });
    expect(toolNames()).toEqual(['read', 'write', 'fetch']);
  });

  it('leaves every name untouched while exactly one upstream is enabled', () => {
    const { toolNames } = setUp({ odd: { tools: ['a tool with spaces'] } });
    expect(toolNames()).toEqual(['a tool with spaces']);
  });

  it('sees a change at once and tells of a storm once', async () => {
    const { upstreams, clock, catalog, toolNames } = setUp({ a: { tools: ['one'] }, b: { tools: ['two'] } });
    let told = 0;
    catalog.onChange(() => told++);
    for (let round = 0; round < 100; round++) upstreams.set('a', { tools: [`one${round}`] });
    expect(toolNames()).toEqual(['one99', 'two']);
    await clock.advance(1_000);
    expect(told).toBe(1);
  });

  it('shows one upstream alone under its own names', () => {
    const { catalog } = setUp({ a: { tools: ['read'] }, b: { tools: ['read'] } });
    expect(catalog.current.list('tool').map((e) => e.publicName)).toEqual(['a__read', 'b__read']);
    expect(
      catalog
        .only('b' as UpstreamId)
        ?.list('tool')
        .map((e) => e.publicName),
    ).toEqual(['read']);
    expect(catalog.only('c' as UpstreamId)).toBeUndefined();
  });

  it('waits a moment for upstreams never heard of, and not for ever', async () => {
    const { upstreams, clock, catalog } = setUp({});
    const contact = upstreams.setUnknown('slow');
    upstreams.setUnknown('dead');
    let settled = false;
    void catalog.settled().then(() => {
      settled = true;
    });
    contact({ tools: ['x'] });
    await clock.advance(1_400);
    expect(settled).toBe(false);
    await clock.advance(200);
    expect(settled).toBe(true);
  });

  it('says which upstream is gone when a call comes too late', () => {
    const { catalog } = setUp({ files: { tools: ['read'] } });
    const call = () => catalog.request('fils' as UpstreamId, 'tools/call', {}, createContext());
    expect(call).toThrow(/"fils" is no longer configured \(did you mean "files"\?\)/);
  });

  it('reports a tool that had to be renamed, once', async () => {
    const { upstreams, clock, feed } = setUp({ a: { tools: ['read'] }, b: { tools: ['other'] } });
    const clashes: string[] = [];
    feed.on((event) => event.type === 'name.clash' && clashes.push(event.publicName));
    upstreams.set('b', { tools: ['read'] });
    await clock.advance(1_000);
    upstreams.set('b', { tools: ['read', 'more'] });
    await clock.advance(1_000);
    expect(clashes).toEqual(['a__read', 'b__read']);
  });
});

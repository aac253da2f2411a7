import { describe, expect, it } from 'vitest';
import { createContext } from '../../test/support/contexts.ts';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createFakeUpstreams, type FakeOffer } from '../../test/support/fake-upstreams.ts';
import { createFeed } from '../events/feed.ts';
import type { UpstreamId } from '../model/ids.ts';
import type { LessonKeeper } from './lesson-keeper.ts';
import { openCatalog } from './open-catalog.ts';
import type { LearningRecord } from './search/learning.ts';

function setUp(offers: Record<string, FakeOffer>) {
  const upstreams = createFakeUpstreams(offers);
  const clock = createFakeClock();
  const feed = createFeed();
  const names = { reserved: new Set<string>(), maxLength: 48 };
  const catalog = openCatalog({ upstreams, names: () => names, feed, clock });
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

  it('keeps what did not change the same object from one snapshot to the next, though names and URIs clash', () => {
    const page = { name: 'show', inputSchema: {}, _meta: { ui: { resourceUri: 'ui://p' } } };
    const offer = { tools: ['read', 'own', page], resources: ['ui://p', 'x://1'] };
    const { upstreams, catalog } = setUp({ a: offer, b: { tools: ['read'], resources: ['ui://p'] } });
    const definitions = () =>
      (['tool', 'resource'] as const).flatMap((kind) =>
        catalog.current.list(kind).filter(({ upstream }) => upstream === 'a'),
      );
    const before = definitions();
    upstreams.set('c', { tools: ['other'] });
    const after = definitions();
    expect(after.map(({ publicName }) => publicName)).toEqual([
      'own',
      'a__read',
      'show',
      'ui://a/p',
      'x://1',
    ]);
    for (const [at, entry] of after.entries()) expect(entry.definition).toBe(before[at]?.definition);
    upstreams.set('b', undefined);
    expect(definitions()[1]?.definition['name']).toBe('read');
  });

  it('waits a moment for upstreams never heard of, and not for ever', async () => {
    const { upstreams, clock, catalog } = setUp({});
    const contact = upstreams.setUnknown('slow');
    upstreams.setUnknown('dead');
    upstreams.set('known', { tools: [] });
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

  it('waits for one that never answers only once', async () => {
    const { upstreams, clock, catalog } = setUp({});
    upstreams.setUnknown('dead');
    upstreams.set('other', { tools: ['x'] });
    await clock.advance(1_600);
    expect(catalog.settling).toBe(false);
    await catalog.settled();
  });

  it('reports tools that had to be renamed, once and with the reason', async () => {
    const { upstreams, clock, feed } = setUp({ a: { tools: ['read'] }, b: { tools: ['other'] } });
    const told: string[] = [];
    feed.on((event) => {
      if (event.type === 'names.changed')
        told.push(`${event.reason} ${event.names.map((n) => n.publicName)}`);
    });
    upstreams.set('b', { tools: ['read', 're\u0430d'] });
    await clock.advance(1_000);
    upstreams.set('b', { tools: ['read', 're\u0430d', 'more'] });
    await clock.advance(1_000);
    expect(told).toEqual([
      'clash a__read',
      'clash b__read',
      expect.stringMatching(/^lookalike b__re_d_[0-9a-f]{8}$/),
    ]);
  });

  it('reports a renamed tool again that had gone meanwhile', async () => {
    const { upstreams, clock, feed } = setUp({ a: { tools: ['read'] }, b: { tools: ['other'] } });
    const told: string[] = [];
    feed.on((event) => {
      if (event.type === 'names.changed') told.push(String(event.upstream));
    });
    for (const tools of [['read'], ['other'], ['read']]) {
      upstreams.set('b', { tools });
      await clock.advance(1_000);
    }
    expect(told).toEqual(['a', 'b', 'a', 'b']);
  });

  it('searches after a first search that could not load what it needs', async () => {
    const upstreams = createFakeUpstreams({ files: { tools: ['read'] } });
    let loads = 0;
    const lessons: LessonKeeper = {
      enabled: true,
      async load() {
        loads += 1;
        if (loads === 1) throw new Error('too many open files');
        return {};
      },
      save() {},
      async [Symbol.asyncDispose]() {},
    };
    const names = { reserved: new Set<string>(), maxLength: 48 };
    const catalog = openCatalog({ upstreams, names: () => names, feed: createFeed(), lessons });
    const search = () => catalog.search('read', { limit: 5, where: () => true, caller: 'local' });
    await expect(search()).rejects.toThrow('too many open files');
    expect(await search()).toHaveLength(1);
  });

  it('forgets what was learnt of an upstream with it, and of no other', async () => {
    const upstreams = createFakeUpstreams({ files: { tools: ['read'] }, web: { tools: ['fetch'] } });
    const lesson = (key: string) => ({ terms: ['read'], key, at: Date.now() });
    const written: object[] = [];
    const lessons: LessonKeeper = {
      enabled: true,
      load: async () => ({ local: ['files\0read', 'web\0fetch', 'elsewhere\0read'].map(lesson) }),
      save: (record) => written.push(record()),
      async [Symbol.asyncDispose]() {},
    };
    const names = { reserved: new Set<string>(), maxLength: 48 };
    openCatalog({ upstreams, names: () => names, feed: createFeed(), lessons });
    upstreams.set('web', { tools: ['fetch', 'post'] });
    upstreams.set('files', undefined);
    await expect.poll(() => written.length).toBe(1);
    const keys = (written as LearningRecord[]).map(({ local = [] }) => local.map(({ key }) => key));
    expect(keys).toEqual([['web\0fetch', 'elsewhere\0read']]);
  });
});

it('tells of every call of a tool when it is over, and passes answers and failures on as they are', async () => {
  const upstreams = createFakeUpstreams({ a: { tools: ['read'] } });
  const called: unknown[] = [];
  const catalog = openCatalog({
    upstreams,
    names: () => ({ reserved: new Set<string>(), maxLength: 48 }),
    feed: createFeed(),
    onCalled: ({ upstream, tool, result, principal }) =>
      called.push([principal.id, upstream, tool, result !== undefined]),
  });
  const id = 'a' as UpstreamId;
  await catalog.request(id, 'tools/call', { name: 'read' }, createContext());
  await catalog.request(id, 'resources/read', { uri: 'x://1' }, createContext());
  upstreams.answer = () => Promise.reject(new Error('broken'));
  await expect(catalog.request(id, 'tools/call', { name: 'read' }, createContext())).rejects.toThrow(
    'broken',
  );
  expect(called).toEqual([
    ['local', 'a', 'read', true],
    ['local', 'a', 'read', false],
  ]);
});

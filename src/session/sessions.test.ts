import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createFakeUpstreams, type FakeOffer } from '../../test/support/fake-upstreams.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import { createFeed, type Unsubscribe } from '../events/feed.ts';
import { createPorts } from '../exposure/exposure.contract.ts';
import { MODES } from '../exposure/registry.ts';
import type { JsonObject } from '../model/json.ts';
import { META } from '../model/mcp.ts';
import { LOCAL_PRINCIPAL } from '../model/principal.ts';
import { POLICIES } from '../policy/order.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import { createInputStates } from './input-state.ts';
import { createModeStates } from './mode-states.ts';
import { createParking } from './parking.ts';
import type { ClientCall, Session } from './session.ts';
import { createSessions } from './sessions.ts';
import { createStateRows } from './state-rows.ts';

function setUp(
  offers: Record<string, FakeOffer> = { files: { tools: ['read'] }, mail: { tools: ['send'] } },
) {
  const upstreams = createFakeUpstreams(offers);
  const clock = createFakeClock();
  const names = { reserved: new Set<string>(), maxLength: 48 };
  const catalog = openCatalog({ upstreams, names: () => names, feed: createFeed(), clock });
  const stopping = new AbortController();
  const sessions = createSessions({
    catalog,
    policies: POLICIES,
    modes: MODES,
    ports: createPorts(catalog.searchMemory),
    states: createModeStates(createStateRows(createMemoryStore(), clock.now), clock.now),
    onExposureChange: () => () => {},
    instructions: { text: async () => undefined },
    account: { listed() {}, answered() {} },
    identity: { name: 'thimble', version: '0' },
    stopping: stopping.signal,
    parking: createParking(clock),
    inputStates: createInputStates(),
    addresses: {
      off: new Map(),
      defaultMode: 'direct',
      profiles: ['work', 'home'],
      modes: MODES.map((mode) => mode.name),
      upstreams: upstreams.all.map((upstream) => upstream.config.id),
    },
  });
  return { upstreams, clock, sessions, stopping, catalog };
}

/** How many more listen to a catalogue than when counting began. */
function countListeners(catalog: Catalog): () => number {
  let count = 0;
  const counting =
    <Listener>(on: (listener: Listener) => Unsubscribe) =>
    (listener: Listener): Unsubscribe => {
      const stop = on(listener);
      count += 1;
      return () => {
        stop();
        count -= 1;
      };
    };
  catalog.onChange = counting(catalog.onChange.bind(catalog));
  catalog.onNotification = counting(catalog.onNotification.bind(catalog));
  return () => count;
}

type Told = { method: string; params: JsonObject };

function toCall(told: Told[] = [], signal = new AbortController().signal): ClientCall {
  return { id: 1, signal, client: { notify: (method, params) => told.push({ method, params }) } };
}

function openLegacy({ sessions }: ReturnType<typeof setUp>, path = '/mcp', profile?: string) {
  const pushed: string[] = [];
  const session = sessions.openLegacy({
    endpoint: sessions.endpointOf(path, profile),
    principal: LOCAL_PRINCIPAL,
    push: (method) => pushed.push(method),
  });
  return { session, pushed };
}

const initialize = (session: Session, protocolVersion = '2025-11-25') =>
  session.request(
    'initialize',
    { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } },
    toCall(),
  );

const modernMeta = {
  [META.protocolVersion]: '2026-07-28',
  [META.clientCapabilities]: {},
  [META.clientInfo]: { name: 't', version: '1' },
};

describe('a legacy conversation', () => {
  it('hears of nothing any more when its client left while it was greeted', async () => {
    const house = setUp();
    const listeners = countListeners(house.catalog);
    const { session, pushed } = openLegacy(house);
    const greeting = initialize(session);
    session.close();
    await expect(greeting).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
    house.upstreams.set('mail', { tools: ['send', 'fetch'] });
    await house.clock.advance(1_000);
    expect({ pushed, listeners: listeners() }).toEqual({ pushed: [], listeners: 0 });
  });

  it('agrees on the revision the client asks for, or offers the newest it has', async () => {
    const house = setUp();
    expect(await initialize(openLegacy(house).session, '2024-11-05')).toMatchObject({
      protocolVersion: '2024-11-05',
    });
    expect(await initialize(openLegacy(house).session, '1999-01-01')).toMatchObject({
      protocolVersion: '2025-11-25',
    });
  });

  it('refuses work before the handshake, except a ping', async () => {
    const { session } = openLegacy(setUp());
    await expect(session.request('tools/list', {}, toCall())).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
    expect(await session.request('ping', {}, toCall())).toEqual({});
  });

  it('lists and calls the tools of all upstreams', async () => {
    const house = setUp();
    const { session } = openLegacy(house);
    await initialize(session);
    const { tools } = await session.request('tools/list', {}, toCall());
    expect((tools as JsonObject[]).map((tool) => tool['name'])).toEqual(['read', 'send']);
    await session.request('tools/call', { name: 'send', arguments: { to: 'me' } }, toCall());
    expect(house.upstreams.seen).toMatchObject([
      { upstream: 'mail', params: { name: 'send', arguments: { to: 'me' } } },
    ]);
  });

  it('hears of a changed list once, and only of the lists that changed', async () => {
    const house = setUp();
    const { session, pushed } = openLegacy(house);
    await initialize(session);
    house.upstreams.set('mail', { tools: ['send', 'fetch'] });
    house.upstreams.set('web', { tools: ['get'] });
    await house.clock.advance(1_000);
    expect(pushed).toEqual(['notifications/tools/list_changed']);
    house.upstreams.set('web', { tools: ['get'] });
    await house.clock.advance(1_000);
    expect(pushed).toHaveLength(1);
    session.close();
    house.upstreams.set('web', { tools: [] });
    await house.clock.advance(1_000);
    expect(pushed).toHaveLength(1);
  });

  it('is refused for a profile nobody carries, with the nearest', () => {
    const house = setUp();
    expect(() => openLegacy(house, '/mcp', 'wrok')).toThrow(/"wrok" \(did you mean "work"\?\)/);
  });

  it('does not hear of changes outside its profile', async () => {
    const house = setUp({ files: { tools: ['read'], tags: ['work'] } });
    const { session, pushed } = openLegacy(house, '/mcp', 'work');
    await initialize(session);
    house.upstreams.set('games', { tools: ['play'], tags: ['home'] });
    await house.clock.advance(1_000);
    expect(pushed).toEqual([]);
  });

  it('shows a single upstream under its own names, with its own greeting', async () => {
    const house = setUp({ a: { tools: ['read'], instructions: 'be kind' }, b: { tools: ['read'] } });
    const { session } = openLegacy(house, '/s/a/mcp');
    expect(await initialize(session)).toMatchObject({ instructions: 'be kind' });
    expect(await session.request('tools/list', {}, toCall())).toMatchObject({ tools: [{ name: 'read' }] });
  });

  it.each(['constructor', '__proto__', 'tools/unknown', 'server/discover'])(
    'does not know the method %s',
    async (method) => {
      const { session } = openLegacy(setUp());
      await initialize(session);
      await expect(session.request(method, {}, toCall())).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
    },
  );
});

describe('a modern conversation', () => {
  const openModern = ({ sessions }: ReturnType<typeof setUp>) =>
    sessions.openModern({ endpoint: sessions.endpointOf('/mcp', undefined), principal: LOCAL_PRINCIPAL });

  it('answers discovery with versions, capabilities and who we are', async () => {
    const result = await openModern(setUp()).request('server/discover', { _meta: modernMeta }, toCall());
    expect(result).toMatchObject({
      resultType: 'complete',
      cacheScope: 'private',
      capabilities: { tools: { listChanged: true } },
      _meta: { [META.serverInfo]: { name: 'thimble' } },
    });
    expect(result['supportedVersions']).toContain('2026-07-28');
  });

  it('sends the envelope to nobody and the rest of _meta on', async () => {
    const house = setUp();
    const params = { name: 'send', arguments: {}, _meta: { ...modernMeta, traceparent: '00-1' } };
    await openModern(house).request('tools/call', params, toCall());
    expect(house.upstreams.seen[0]?.params).toEqual({
      name: 'send',
      arguments: {},
      _meta: { traceparent: '00-1' },
    });
  });

  it('streams the changes a listener asked for until it stops, each marked with the subscription', async () => {
    const house = setUp();
    const told: Told[] = [];
    const stop = new AbortController();
    const params = {
      _meta: modernMeta,
      notifications: { toolsListChanged: true, resourceSubscriptions: ['x://1'] },
    };
    const listening = openModern(house).request('subscriptions/listen', params, toCall(told, stop.signal));
    house.upstreams.set('mail', { tools: ['send', 'fetch'], prompts: ['p'] });
    await house.clock.advance(1_000);
    stop.abort();
    await listening;
    expect(told).toEqual([
      {
        method: 'notifications/subscriptions/acknowledged',
        params: { _meta: { [META.subscriptionId]: 1 }, notifications: { toolsListChanged: true } },
      },
      { method: 'notifications/tools/list_changed', params: { _meta: { [META.subscriptionId]: 1 } } },
    ]);
  });

  it('leaves no listener behind when what it watches cannot be looked at', async () => {
    const house = setUp();
    const listeners = countListeners(house.catalog);
    const session = house.sessions.openModern({
      endpoint: house.sessions.endpointOf('/s/mail/mcp', undefined),
      principal: LOCAL_PRINCIPAL,
    });
    const params = { _meta: modernMeta, notifications: { resourceSubscriptions: ['x://1'] } };
    house.upstreams.set('mail', undefined);
    await house.clock.advance(1_000);
    await expect(session.request('subscriptions/listen', params, toCall())).rejects.toMatchObject({
      code: 'ENDPOINT_NOT_FOUND',
    });
    expect(listeners()).toBe(0);
  });

  it('ends listening gracefully when the gateway stops', async () => {
    const house = setUp();
    const params = { _meta: modernMeta, notifications: {} };
    const listening = openModern(house).request('subscriptions/listen', params, toCall());
    house.stopping.abort();
    expect(await listening).toMatchObject({ resultType: 'complete', _meta: { [META.subscriptionId]: 1 } });
  });
});

describe('addresses', () => {
  it.each([
    ['/mcp/dirct', 'there is no mode "dirct" (did you mean "direct"?)'],
    ['/s/fils/mcp', 'no upstream has the id "fils" (did you mean "files"?)'],
    ['/elsewhere', 'nothing is served at /elsewhere'],
  ])('%s is refused with the nearest', (path, message) => {
    expect(() => setUp().sessions.endpointOf(path, undefined)).toThrow(message);
  });
});

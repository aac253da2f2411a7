import { describe, expect, it } from 'vitest';
import { createCall } from '../../test/support/contexts.ts';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { RpcError } from '../errors/gateway-error.ts';
import type { CancelSignal } from '../lib/cancel.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { type Era, metaOf } from '../model/mcp.ts';
import type { Channel } from '../wire/channel.ts';
import { createChannelPair } from '../wire/memory-channel.ts';
import { openPeer, type Peer } from '../wire/peer.ts';
import { openConnection } from './connection.ts';
import { openTalk } from './talk.ts';

type Methods = Record<string, (params: JsonObject) => JsonObject | Promise<JsonObject>>;

/** A scripted server over memory; `asked` is every method it heard. */
function createScripted(methods: Methods) {
  const asked: string[] = [];
  const clock = createFakeClock();
  let server: Peer | undefined;
  let token: JsonValue | undefined;
  const open = async () => {
    const [ours, theirs] = createChannelPair();
    server = openPeer(theirs, {
      async onRequest(method, params) {
        asked.push(method);
        token = metaOf(params)['progressToken'];
        const run = methods[method];
        if (run === undefined) throw new RpcError(-32601, 'Method not found');
        return run(params);
      },
      onNotification: (method) => asked.push(method),
    });
    return { channel: ours, notes: () => ({ badLines: 0, stderr: [], pid: undefined }) };
  };
  const connect = (more: { era?: Era; hint?: Era } = {}) =>
    openConnection({
      name: 'scripted',
      open,
      era: more.era,
      hint: more.hint,
      timeoutOf: () => 1_000,
      self: { name: 'thimble', version: '0' },
      declares: {},
      clock,
      signal: new AbortController().signal,
    });
  return { asked, clock, connect, server: () => server, token: () => token ?? '' };
}

const MODERN = { supportedVersions: ['2026-07-28'], capabilities: { tools: { listChanged: true } } };
const LEGACY = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'old', version: '1' } };
const never = () => new Promise<JsonObject>(() => {});

describe('a connection', () => {
  it('uses the era it knows without a probe', async () => {
    const { asked, connect } = createScripted({ initialize: () => LEGACY });
    const { hello } = await connect({ hint: 'legacy' });
    expect(asked[0]).toBe('initialize');
    expect(hello).toMatchObject({ era: 'legacy', protocolVersion: '2025-06-18' });
  });

  it.each([-32601, -32602, -32000, 0])('takes error %i to the probe for a legacy server', async (code) => {
    const discover = () => {
      throw new RpcError(code, 'what?');
    };
    const { connect } = createScripted({ 'server/discover': discover, initialize: () => LEGACY });
    expect((await connect()).hello.era).toBe('legacy');
  });

  it('does not fall back for an error that only a modern server sends', async () => {
    const discover = () => {
      throw new RpcError(-32022, 'Unsupported', { supported: ['2026-07-28'] });
    };
    const { asked, connect } = createScripted({ 'server/discover': discover, initialize: () => LEGACY });
    await expect(connect()).rejects.toMatchObject({
      code: 'UPSTREAM_PROTOCOL',
      message: 'scripted: refused our greeting: Unsupported (-32022)',
    });
    expect(asked).toEqual(['server/discover', 'server/discover']);
  });

  it('does fall back when a dual-era server offers legacy revisions only', async () => {
    const discover = () => {
      throw new RpcError(-32022, 'Unsupported', { supported: ['2025-11-25'] });
    };
    const { connect } = createScripted({ 'server/discover': discover, initialize: () => LEGACY });
    expect((await connect()).hello.era).toBe('legacy');
  });

  it('greets a server that stays silent in both ways, and takes the way that succeeds', async () => {
    const { connect, clock } = createScripted({ 'server/discover': never, initialize: () => LEGACY });
    const opening = connect();
    await clock.advance(2_000);
    expect((await opening).hello.era).toBe('legacy');
  });

  it('refuses a revision nobody knows', async () => {
    const { connect } = createScripted({ initialize: () => ({ ...LEGACY, protocolVersion: '1999-01-01' }) });
    await expect(connect()).rejects.toMatchObject({ code: 'UPSTREAM_PROTOCOL' });
  });

  it('listens for changes of a modern server, and anew when the stream ends', async () => {
    const streams: ((result: JsonObject) => void)[] = [];
    const scripted = createScripted({
      'server/discover': () => MODERN,
      'subscriptions/listen': () => new Promise((resolve) => streams.push(resolve)),
    });
    const connection = await scripted.connect();
    const heard: string[] = [];
    connection.onNotification((method) => heard.push(method));
    const acknowledge = async () => {
      await scripted.clock.advance(0);
      scripted.server()?.notify('notifications/subscriptions/acknowledged', {});
      await scripted.clock.advance(0);
    };
    await acknowledge();
    expect(heard).toEqual([]);
    streams[0]?.({});
    await scripted.clock.advance(1_000);
    expect(streams).toHaveLength(2);
    await acknowledge();
    expect(heard).toContain('notifications/tools/list_changed');
    await connection[Symbol.asyncDispose]();
    await scripted.clock.advance(120_000);
    expect(scripted.asked.filter((method) => method === 'subscriptions/listen')).toHaveLength(2);
  });

  it('asks a server that knows no streams of changes for one only once, and says so', async () => {
    const scripted = createScripted({ 'server/discover': () => MODERN });
    const connection = await scripted.connect();
    const asked = () => scripted.asked.filter((method) => method === 'subscriptions/listen').length;
    await scripted.clock.advance(0);
    const before = asked();
    const signal = new AbortController().signal;
    await expect(connection.listen({ resourceSubscriptions: ['a:'] }, signal)).rejects.toMatchObject({
      code: -32601,
    });
    await scripted.clock.advance(600_000);
    expect(asked()).toBe(before + 1);
    expect(scripted.clock.waiting).toBe(0);
  });

  it('asks for a stream that does not last less and less often, until nobody wants it', async () => {
    let isListed = false;
    const scripted = createScripted({
      'server/discover': () => MODERN,
      'subscriptions/listen': () => {
        if (!isListed) return new Promise(() => {});
        throw new RpcError(-32603, 'not now');
      },
    });
    const connection = await scripted.connect();
    const asked = () => scripted.asked.filter((method) => method === 'subscriptions/listen').length;
    await scripted.clock.advance(0);
    isListed = true;
    const before = asked();
    const stop = new AbortController();
    await expect(connection.listen({ resourceSubscriptions: ['a:'] }, stop.signal)).rejects.toMatchObject({
      code: -32603,
    });
    await scripted.clock.advance(600_000);
    const inTenMinutes = asked() - before;
    expect(inTenMinutes).toBeGreaterThan(8);
    expect(inTenMinutes).toBeLessThan(80);
    stop.abort();
    await scripted.clock.advance(600_000);
    expect(asked() - before).toBe(inTenMinutes);
  });

  it('takes the acknowledgement of one stream for no other, and silence for consent', async () => {
    const scripted = createScripted({
      'server/discover': () => MODERN,
      'subscriptions/listen': () => new Promise(() => {}),
    });
    const connection = await scripted.connect();
    const heard: string[] = [];
    connection.onNotification((method) => heard.push(method));
    const signal = new AbortController().signal;
    const acknowledge = (id: number, resourceSubscriptions: readonly string[]) =>
      scripted.server()?.notify('notifications/subscriptions/acknowledged', {
        _meta: { 'io.modelcontextprotocol/subscriptionId': id },
        notifications: { resourceSubscriptions },
      });
    const listening = connection.listen({ resourceSubscriptions: ['a:', 'b:'] }, signal);
    const silent = connection.listen({ resourceSubscriptions: ['c:'] }, signal);
    await scripted.clock.advance(0);
    // The greeting was the first request, the stream for lists the second.
    acknowledge(2, []);
    acknowledge(3, ['a:']);
    expect(await listening).toEqual({ resourceSubscriptions: ['a:'] });
    await scripted.clock.advance(2_000);
    expect(await silent).toEqual({ resourceSubscriptions: ['c:'] });
    expect(heard).toEqual([]);
  });

  it('answers ping, and declines every other request of the server', async () => {
    const scripted = createScripted({ initialize: () => LEGACY });
    await scripted.connect({ era: 'legacy' });
    expect(await scripted.server()?.request('ping', {})).toEqual({});
    await expect(scripted.server()?.request('roots/list', {})).rejects.toMatchObject({ code: -32601 });
  });

  it('keeps what is meant for us in _meta from a legacy server', async () => {
    const scripted = createScripted({
      initialize: () => LEGACY,
      'tools/call': (params) => ({ got: params }),
    });
    const connection = await scripted.connect({ era: 'legacy' });
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', traceparent: '00' };
    const { got } = await connection.request('tools/call', { name: 'x', _meta }, createCall());
    expect(got).toEqual({ name: 'x', _meta: { traceparent: '00', progressToken: expect.any(Number) } });
  });

  it('counts answers nobody waited for', async () => {
    const [ours, theirs] = createChannelPair();
    const talk = openTalk(
      { channel: ours, notes: () => ({ badLines: 2, stderr: [], pid: undefined }) },
      { clock: createFakeClock() },
    );
    theirs.open({ message() {}, failed() {}, closed() {} });
    theirs.send({ jsonrpc: '2.0', id: 'nobody', result: {} });
    await expect.poll(() => talk.notes().badLines).toBe(3);
  });

  it('takes a question for open though the link says whose it is, so that its client may go on calling', async () => {
    const [ours, theirs] = createChannelPair();
    const open: Channel['open'] = (receiver) =>
      ours.open({ ...receiver, message: (message) => receiver.message(message, 7) });
    const channel: Channel = { open, send: (message) => ours.send(message), close: () => ours.close() };
    const seen: string[] = [];
    const ask = (signal: CancelSignal) => {
      seen.push('open');
      return { signal, isTakenBack: false, close: () => void seen.push('closed') };
    };
    const notes = () => ({ badLines: 0, stderr: [], pid: undefined });
    openTalk({ channel, notes }, { clock: createFakeClock(), turns: { ask } });
    const server = openPeer(theirs, { onRequest: async () => ({}), onNotification() {} });
    await expect(server.request('roots/list', {})).rejects.toMatchObject({ code: -32601 });
    expect(seen).toEqual(['open', 'closed']);
  });

  it('does not give up a server that tells how it gets on, though its client did not ask for that', async () => {
    const scripted = createScripted({ initialize: () => LEGACY, 'tools/call': never });
    const connection = await scripted.connect({ era: 'legacy' });
    const client = createCall();
    let over = false;
    const call = connection.request('tools/call', { name: 'x' }, client).catch(() => {
      over = true;
    });
    for (let progress = 1; progress <= 5; progress++) {
      await scripted.clock.advance(900);
      scripted.server()?.notify('notifications/progress', { progressToken: scripted.token(), progress });
    }
    await scripted.clock.advance(900);
    expect(over).toBe(false);
    await scripted.clock.advance(100);
    await call;
    expect([over, client.heard]).toEqual([true, []]);
  });

  it('names the upstream in a timeout', async () => {
    const scripted = createScripted({ initialize: () => LEGACY, 'tools/call': never });
    const connection = await scripted.connect({ era: 'legacy' });
    const call = connection
      .request('tools/call', { name: 'x' }, createCall())
      .catch((error: unknown) => error);
    await scripted.clock.advance(1_000);
    expect(await call).toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
      message: 'scripted: no answer to tools/call within 1000 ms',
      data: { upstream: 'scripted' },
    });
  });
});

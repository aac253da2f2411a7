import { afterEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createFakeSessions } from '../../../test/support/fake-sessions.ts';
import { POST_HEADERS, send, stream } from '../../../test/support/raw-http.ts';
import { createFeed } from '../../events/feed.ts';
import type { Clock } from '../../lib/clock.ts';
import type { JsonObject } from '../../model/json.ts';
import { BATCH_LIMIT, LOG_KEEP_MS, SESSION_IDLE_MS, SESSION_LIMIT } from '../limits.ts';
import { type HttpServer, openHttpServer } from './server.ts';

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function setUp(clock?: Clock) {
  const sessions = createFakeSessions();
  const server = await openHttpServer({
    host: '127.0.0.1',
    port: 0,
    sessions,
    health: () => ({}),
    feed: createFeed(),
    ...(clock && { clock }),
  });
  servers.push(server);
  return { sessions, server, url: `${server.url}/mcp` };
}

const toHello = (version: string) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 't', version: '1' } },
});

async function openSession(url: string, version = '2025-11-25') {
  const hello = await send(url, { method: 'POST', headers: POST_HEADERS, body: toHello(version) });
  const id = String(hello.headers['mcp-session-id']);
  const headers = { ...POST_HEADERS, 'mcp-session-id': id };
  const toPost = (body: unknown) => ({ method: 'POST', headers, body });
  return {
    id,
    hello,
    post: (body: unknown, extra: Record<string, string> = {}) =>
      send(url, { method: 'POST', headers: { ...headers, ...extra }, body }),
    postStream: (body: unknown) => stream(url, toPost(body)),
    listen: (last?: string) =>
      stream(url, { headers: { accept: 'text/event-stream', 'mcp-session-id': id, 'last-event-id': last } }),
    end: () => send(url, { method: 'DELETE', headers: { 'mcp-session-id': id } }),
  };
}

const toCall = (id: string | number, name: string, args: JsonObject = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, _meta: { progressToken: `p${id}` } },
});
const changed = 'notifications/tools/list_changed';

describe('the legacy face', () => {
  it('opens a session with initialize and serves it by its id', async () => {
    const { url, sessions } = await setUp();
    const session = await openSession(url);
    expect(session.id.length).toBeGreaterThanOrEqual(32);
    expect(session.hello.json).toMatchObject({ id: 0, result: { protocolVersion: '2025-11-25' } });
    const ready = await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([ready.status, ready.text]).toEqual([202, '']);
    expect(sessions.notifications).toEqual(['notifications/initialized']);
    const answer = await session.post(toCall(1, 'echo', { a: 1 }));
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.json).toMatchObject({ id: 1, result: { content: [{ text: '{"a":1}' }] } });
    const error = await session.post(toCall(2, 'nope'));
    expect([error.status, (error.json['error'] as JsonObject)['code']]).toEqual([200, -32602]);
  });

  it('refuses a missing, unknown or foreign session id', async () => {
    const { url, server } = await setUp();
    const missing = await send(url, { method: 'POST', headers: POST_HEADERS, body: toCall(1, 'echo') });
    expect(missing.status).toBe(400);
    const headers = { ...POST_HEADERS, 'mcp-session-id': 'made-up' };
    const unknown = await send(url, { method: 'POST', headers, body: toCall(1, 'echo') });
    expect([unknown.status, (unknown.json['error'] as JsonObject)['code']]).toEqual([404, -32001]);
    const { id } = await openSession(url);
    for (const path of ['/mcp/direct', '/mcp?profile=other', '/s/x/mcp']) {
      const elsewhere = await send(server.url + path, {
        method: 'POST',
        headers: { ...headers, 'mcp-session-id': id },
        body: toCall(1, 'echo'),
      });
      expect(elsewhere.status).toBe(404);
    }
  });

  it('refuses a protocol version it does not know', async () => {
    const { url } = await setUp();
    const session = await openSession(url);
    expect((await session.post(toCall(1, 'echo'), { 'mcp-protocol-version': '2025-06-18' })).status).toBe(
      200,
    );
    expect((await session.post(toCall(1, 'echo'), { 'mcp-protocol-version': '1999-01-01' })).status).toBe(
      400,
    );
    expect((await session.post(toCall(1, 'echo'), { 'mcp-protocol-version': 'x' })).status).toBe(400);
  });

  it('keeps nothing of an initialize that was refused', async () => {
    const { url, sessions } = await setUp();
    const body = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} };
    const answer = await send(url, { method: 'POST', headers: POST_HEADERS, body });
    expect((answer.json['error'] as JsonObject)['code']).toBe(-32602);
    await expect.poll(() => sessions.live).toBe(0);
  });

  it('ends a session on DELETE, with what still runs in it', async () => {
    const { url, sessions } = await setUp();
    const session = await openSession(url);
    const running = session.post(toCall(1, 'hang'));
    await sessions.running();
    expect((await session.end()).status).toBe(204);
    expect((await running).status).toBe(404);
    expect(sessions.aborted).toEqual([1]);
    expect((await session.post(toCall(2, 'echo'))).status).toBe(404);
    expect(sessions.live).toBe(0);
  });

  it('streams interim messages, primed for clients that know how to resume', async () => {
    const { url } = await setUp();
    for (const [version, primed] of [
      ['2025-11-25', true],
      ['2025-06-18', false],
    ] as const) {
      const session = await openSession(url, version);
      const answer = await session.postStream(toCall(1, 'progress'));
      if (primed)
        expect(await answer.next()).toMatchObject({ data: '', retry: '1000', id: expect.any(String) });
      const messages = [await answer.next(), await answer.next(), await answer.next()].map((e) =>
        JSON.parse(e!.data),
      );
      expect(messages).toMatchObject([
        { params: { progress: 1 } },
        { params: { progress: 2 } },
        { id: 1, result: {} },
      ]);
      expect(await answer.next()).toBeUndefined();
    }
  });

  it('goes on with a request whose client went away, and replays its stream', async () => {
    const { url, sessions } = await setUp();
    const session = await openSession(url);
    const broken = await session.postStream(toCall(1, 'late'));
    await broken.next();
    const { id } = (await broken.next())!;
    await sessions.running();
    broken.cut();
    sessions.release();
    const resumed = await session.listen(id!);
    const events = [];
    for (let event = await resumed.next(); event; event = await resumed.next()) events.push(event);
    const messages = events.filter((event) => event.data !== '').map((event) => JSON.parse(event.data));
    expect(messages).toMatchObject([{ id: 1, result: { content: [{ text: 'late' }] } }]);
    expect(sessions.aborted).toEqual([]);
    const last = events.at(-1)?.id;
    expect((await session.listen(last)).status).toBe(204);
  });

  it('sends what belongs to no request on the standalone stream, also what was missed', async () => {
    const { url, sessions } = await setUp();
    const session = await openSession(url, '2025-06-18');
    sessions.push(changed);
    const first = await session.listen();
    const { id, data } = (await first.next())!;
    expect(JSON.parse(data)).toMatchObject({ method: changed });
    const second = await session.listen();
    expect(await first.next()).toBeUndefined();
    sessions.push('notifications/prompts/list_changed');
    expect(JSON.parse((await second.next())!.data)).toMatchObject({
      method: 'notifications/prompts/list_changed',
    });
    const third = await session.listen(id);
    expect(JSON.parse((await third.next())!.data)).toMatchObject({
      method: 'notifications/prompts/list_changed',
    });
  });

  it('replays what was missed also to a client that broke off again before it came', async () => {
    const { url, sessions } = await setUp();
    const session = await openSession(url);
    const first = await session.listen();
    const { id: before } = (await first.next())!;
    first.cut();
    sessions.push(changed);
    const second = await session.listen(before);
    const { id: primed } = (await second.next())!;
    second.cut();
    const third = await session.listen(primed);
    await third.next();
    sessions.push('notifications/prompts/list_changed');
    expect(JSON.parse((await third.next())!.data)).toMatchObject({ method: changed });
  });

  it('forgets what a finished answer said some time after it was sent, and not at once', async () => {
    const clock = createFakeClock();
    const { url } = await setUp(clock);
    const session = await openSession(url);
    const answer = await session.postStream(toCall(1, 'progress'));
    const { id } = (await answer.next())!;
    for (let event = await answer.next(); event; event = await answer.next());
    const again = await session.listen(id);
    expect(JSON.parse((await again.next())!.data)).toMatchObject({ params: { progress: 1 } });
    await clock.advance(LOG_KEEP_MS);
    expect((await session.listen(id)).status).toBe(204);
  });

  it('keeps what a finished answer said for a client that was away, until it has come for it', async () => {
    const clock = createFakeClock();
    const { url, sessions } = await setUp(clock);
    const session = await openSession(url);
    const broken = await session.postStream(toCall(1, 'late'));
    const { id } = (await broken.next())!;
    await sessions.running();
    const { waiting } = clock;
    broken.cut();
    // Whoever noticed that nobody reads keeps the stream alive no longer.
    await expect.poll(() => clock.waiting).toBeLessThan(waiting);
    sessions.release();
    await clock.advance(LOG_KEEP_MS * 2);
    const back = await session.listen(id);
    expect(back.status).toBe(200);
    await back.next();
    await clock.advance(LOG_KEEP_MS);
    expect((await session.listen(id)).status).toBe(204);
  });

  it('refuses a GET without SSE, without a session or with a strange event id', async () => {
    const { url } = await setUp();
    const session = await openSession(url);
    expect((await send(url, { headers: { accept: 'application/json' } })).status).toBe(406);
    expect((await send(url, { headers: { accept: 'text/event-stream' } })).status).toBe(400);
    expect((await session.listen('strange')).status).toBe(400);
  });

  it('ends the POST of a request that was cancelled', async () => {
    const { url, sessions } = await setUp();
    const session = await openSession(url);
    const running = session.post(toCall(1, 'hang'));
    await sessions.running();
    await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    const answer = await running;
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(sessions.aborted).toEqual([1]);
    expect((await session.post(toCall(1, 'echo'))).status).toBe(200);
  });

  it('refuses an id that a running request uses', async () => {
    const { url, sessions } = await setUp();
    const session = await openSession(url);
    const running = session.post(toCall(1, 'hang'));
    await sessions.running();
    expect((await session.post(toCall(1, 'echo'))).status).toBe(400);
    expect((await session.post(toCall('1', 'echo'))).status).toBe(200);
    sessions.release();
    expect((await running).json).toMatchObject({ id: 1, result: { content: [{ text: 'released' }] } });
  });

  it('takes batches in 2025-03-26 only, and not too long ones', async () => {
    const { url } = await setUp();
    const batch = [toCall(1, 'echo'), { jsonrpc: '2.0', method: 'notifications/x' }, toCall(2, 'progress')];
    const old = await openSession(url, '2025-03-26');
    const streamed = await old.post(batch);
    expect(streamed.headers['content-type']).toBe('text/event-stream');
    expect(streamed.text.match(/"result"/g)).toHaveLength(2);
    const plain = await old.post([toCall(1, 'echo'), toCall(2, 'echo')]);
    expect(JSON.parse(plain.text)).toMatchObject([{ id: 1 }, { id: 2 }]);
    expect((await old.post([])).status).toBe(400);
    expect((await old.post([toCall(1, 'echo'), toCall(1, 'echo')])).status).toBe(400);
    expect((await old.post([toHello('2025-03-26')])).status).toBe(400);
    expect(
      (await old.post(Array.from({ length: BATCH_LIMIT + 1 }, (_, n) => toCall(n, 'echo')))).status,
    ).toBe(400);
    const newer = await openSession(url, '2025-06-18');
    expect((await newer.post(batch)).status).toBe(400);
  });

  it('forgets idle sessions, but none that listens', async () => {
    const clock = createFakeClock();
    const { url, sessions } = await setUp(clock);
    const idle = await openSession(url);
    const listening = await openSession(url);
    const open = await listening.listen();
    await clock.advance(SESSION_IDLE_MS + 120_000);
    expect((await idle.post(toCall(1, 'echo'))).status).toBe(404);
    expect((await listening.post(toCall(1, 'echo'))).status).toBe(200);
    expect(sessions.live).toBe(1);
    open.cut();
  });

  it('never holds more sessions than the limit: the one idle longest goes first', async () => {
    const clock = createFakeClock();
    const { url, sessions } = await setUp(clock);
    const first = await openSession(url);
    await clock.advance(1);
    const second = await openSession(url);
    await clock.advance(1);
    await first.post(toCall(1, 'echo'));
    for (let n = 2; n < SESSION_LIMIT + 1; n++) await openSession(url);
    expect(sessions.live).toBe(SESSION_LIMIT);
    expect((await second.post(toCall(1, 'echo'))).status).toBe(404);
    expect((await first.post(toCall(1, 'echo'))).status).toBe(200);
  });
});

import { type IncomingMessage, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createFakeSessions } from '../../../test/support/fake-sessions.ts';
import { POST_HEADERS, type RawRequest, send, stream, toModern } from '../../../test/support/raw-http.ts';
import { createFeed } from '../../events/feed.ts';
import type { JsonObject } from '../../model/json.ts';
import { openShares, type Shares } from '../../session/shares.ts';
import { createMemoryStore } from '../../store/memory-store.ts';
import { type HttpServer, openHttpServer } from './server.ts';

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const HOUR = 3_600_000;
const INITIALIZE: JsonObject = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'guest', version: '1' } },
};

async function setUp(given?: Partial<Shares>) {
  const clock = createFakeClock();
  const sessions = createFakeSessions();
  const shares = openShares(createMemoryStore());
  const server = await openHttpServer({
    host: '127.0.0.1',
    port: 0,
    sessions,
    health: () => ({ status: 'ok' }),
    feed: createFeed(),
    clock,
    shares: { ...shares, ...given },
  });
  servers.push(server);
  const start = (name: string, kind: 'server' | 'profile' = 'server', target = 'github') =>
    shares.start({ name, kind, target, expiresAt: Date.now() + HOUR });
  const at = (name: string) => `${server.url}/i/${name}/mcp`;
  return { clock, sessions, shares, start, at, url: server.url };
}

const withToken = (request: RawRequest, token: string): RawRequest => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${token}` },
});
const post = (body: JsonObject, session?: string): RawRequest => ({
  method: 'POST',
  headers: { ...POST_HEADERS, ...(session === undefined ? {} : { 'mcp-session-id': session }) },
  body,
});

describe('the address of a share', () => {
  it('answers nobody without its token, and never says whether there is such a share', async () => {
    const { start, at, sessions } = await setUp();
    const token = await start('work');
    await start('other');
    const requests: RawRequest[] = [
      toModern('tools/list'),
      post(INITIALIZE),
      { method: 'GET', headers: { accept: 'text/event-stream' } },
      { method: 'DELETE', headers: { 'mcp-session-id': 'x' } },
      { method: 'PUT' },
      { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' },
    ];
    const wrong = ['', `${token}x`, token.slice(0, -1), 'Bearer', '%00'].map((text) => `Bearer ${text}`);
    for (const request of requests) {
      for (const authorization of [undefined, `Basic ${token}`, token, ...wrong]) {
        const headers = { ...request.headers, authorization };
        const there = await send(at('work'), { ...request, headers });
        const absent = await send(at('nobody'), { ...request, headers });
        expect(there.status).toBe(401);
        expect(there.headers['www-authenticate']).toBe('Bearer');
        expect((there.json['error'] as JsonObject)['data']).toMatchObject({ code: 'TOKEN_REFUSED' });
        expect([absent.status, absent.text]).toEqual([there.status, there.text]);
      }
    }
    expect((await send(at('other'), withToken(toModern('tools/list'), token))).status).toBe(401);
    expect(sessions.opened).toEqual([]);
  });

  it('refuses the old pair of addresses beside it alike', async () => {
    const { start, url } = await setUp();
    const token = await start('work');
    expect((await send(`${url}/i/work/sse`, { headers: { accept: 'text/event-stream' } })).status).toBe(401);
    expect((await send(`${url}/i/work/messages?sessionId=x`, post(INITIALIZE))).status).toBe(401);
    const opened = await stream(
      `${url}/i/work/sse`,
      withToken({ headers: { accept: 'text/event-stream' } }, token),
    );
    expect((await opened.next())?.data).toMatch(/^\/i\/work\/messages\?sessionId=/);
    opened.cut();
  });

  it('leads who has the token to what is shared, as somebody else than the owner', async () => {
    const { start, at, sessions } = await setUp();
    const token = await start('work');
    const team = await start('team', 'profile', 'backend');
    expect((await send(at('work'), withToken(toModern('tools/list'), token))).status).toBe(200);
    await send(at('work'), withToken(post(INITIALIZE), token));
    await send(`${at('team')}?profile=everything`, withToken(post(INITIALIZE), team));
    expect(sessions.opened.map(({ endpoint, principal }) => ({ endpoint, id: principal.id }))).toEqual([
      { endpoint: { kind: 'upstream', upstream: 'github' }, id: 'share:work' },
      { endpoint: { kind: 'mode', mode: 'auto', profile: 'backend' }, id: 'share:team' },
    ]);
  });

  it('keeps its sessions apart from those of every other address and share', async () => {
    const { start, at, url, shares, clock } = await setUp();
    const token = await start('work');
    const opened = await send(at('work'), withToken(post(INITIALIZE), token));
    const session = String(opened.headers['mcp-session-id']);
    const list = post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, session);
    expect((await send(at('work'), withToken(list, token))).status).toBe(200);
    expect((await send(at('work'), list)).status).toBe(401);
    expect((await send(`${url}/s/github/mcp`, list)).status).toBe(404);
    await shares.stop('work');
    const again = await start('work');
    await clock.advance(1_000);
    expect((await send(at('work'), withToken(list, again))).status).toBe(404);
    expect((await send(at('work'), withToken(list, token))).status).toBe(401);
  });

  it('cuts sessions, streams and calls within a second of its end', async () => {
    const { start, at, url, shares, clock, sessions } = await setUp();
    const token = await start('work');
    const opened = await send(at('work'), withToken(post(INITIALIZE), token));
    const session = String(opened.headers['mcp-session-id']);
    const headers = { accept: 'text/event-stream', 'mcp-session-id': session };
    const events = await stream(at('work'), withToken({ headers }, token));
    const pair = await stream(
      `${url}/i/work/sse`,
      withToken({ headers: { accept: 'text/event-stream' } }, token),
    );
    await pair.next();
    const listening = await stream(
      at('work'),
      withToken(toModern('subscriptions/listen', { notifications: {} }), token),
    );
    await listening.next();
    const hanging = send(at('work'), withToken(toModern('tools/call', { name: 'hang' }, 7), token));
    const legacyCall = send(
      at('work'),
      withToken(
        post({ jsonrpc: '2.0', id: 8, method: 'tools/call', params: { name: 'hang' } }, session),
        token,
      ),
    );
    // The listener and both calls.
    await expect.poll(() => sessions.held).toBe(3);
    await shares.stop('work');
    await clock.advance(1_000);
    expect((await hanging).text).toContain('TOKEN_REFUSED');
    expect((await legacyCall).status).toBe(404);
    for (const cut of [events, pair, listening]) {
      let event = await cut.next();
      while (event !== undefined) event = await cut.next();
    }
    expect(sessions.aborted).toEqual(expect.arrayContaining([7, 8]));
    expect((await send(at('work'), withToken(toModern('tools/list'), token))).status).toBe(401);
  });

  describe('whose guest is let in by the head of a request and takes time over its body', () => {
    async function admitHead(method: string) {
      let admitted = () => {};
      const isAdmitted = new Promise<void>((resolve) => {
        admitted = resolve;
      });
      const parts = await setUp({ used: async () => admitted() });
      const token = await parts.start('work');
      const { headers = {}, body } = withToken(toModern(method, { notifications: {} }), token);
      const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
      const outgoing = request(parts.at('work'), {
        method: 'POST',
        agent: false,
        headers: { ...Object.fromEntries(sent), 'transfer-encoding': 'chunked' },
      });
      const answer = new Promise<IncomingMessage>((resolve, reject) => {
        outgoing.on('response', resolve).on('error', reject);
      });
      outgoing.flushHeaders();
      await isAdmitted;
      for (let look = 0; look < 4; look++) await parts.clock.advance(500);
      return { ...parts, answer, finish: () => outgoing.end(JSON.stringify(body)) };
    }

    it('cuts what it asked for when the share ends later', async () => {
      const { shares, clock, sessions, answer, finish } = await admitHead('subscriptions/listen');
      finish();
      const listening = await answer;
      await sessions.running();
      await shares.stop('work');
      await clock.advance(1_000);
      const chunks: string[] = [];
      for await (const chunk of listening) chunks.push(String(chunk));
      expect(chunks.join('')).toContain('"resultType":"complete"');
    });

    it('does nothing of what it asked for when the share has ended meanwhile', async () => {
      const { shares, clock, answer, finish } = await admitHead('tools/list');
      await shares.stop('work');
      await clock.advance(1_000);
      finish();
      const refused = await answer;
      refused.resume();
      expect(refused.statusCode).toBe(401);
      expect(refused.headers['www-authenticate']).toBe('Bearer');
    });
  });

  it('leaves everybody else alone when a share ends', async () => {
    const { start, at, shares, clock } = await setUp();
    const token = await start('work');
    const other = await start('other');
    await send(at('work'), withToken(post(INITIALIZE), token));
    const opened = await send(at('other'), withToken(post(INITIALIZE), other));
    await shares.stop('work');
    await clock.advance(1_000);
    const session = String(opened.headers['mcp-session-id']);
    const list = post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, session);
    expect((await send(at('other'), withToken(list, other))).status).toBe(200);
    expect(clock.waiting).toBeGreaterThan(0);
  });

  it('lets nobody in while what is shared cannot be read', async () => {
    const { start, at } = await setUp({ list: () => Promise.reject(new Error('locked')) });
    const token = await start('work');
    const answer = await send(at('work'), withToken(toModern('tools/list'), token));
    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain('locked');
  });

  it('does not tell a guest what else there is when what was shared is gone', async () => {
    const { start, at, sessions } = await setUp();
    const token = await start('work');
    sessions.endpointOf = () => {
      throw new Error('the ids are secret-server');
    };
    const answer = await send(at('work'), withToken(toModern('tools/list'), token));
    expect(answer.text).toContain('UPSTREAM_DISABLED');
    expect(answer.text).not.toContain('secret-server');
  });
});

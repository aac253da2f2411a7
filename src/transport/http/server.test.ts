import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createFakeSessions } from '../../../test/support/fake-sessions.ts';
import { POST_HEADERS, send, stream, toModern } from '../../../test/support/raw-http.ts';
import type { GatewayEvent } from '../../events/events.ts';
import { createFeed } from '../../events/feed.ts';
import type { JsonObject } from '../../model/json.ts';
import { BODY_LIMIT, DRAIN_MS } from '../limits.ts';
import { type HttpServer, type HttpServerOptions, openHttpServer } from './server.ts';

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function setUp(options: Partial<HttpServerOptions> = {}) {
  const sessions = createFakeSessions();
  const feed = createFeed();
  const events: GatewayEvent[] = [];
  feed.on((event) => events.push(event));
  const health = () => ({ status: 'ok' });
  const server = await openHttpServer({ host: '127.0.0.1', port: 0, sessions, health, feed, ...options });
  servers.push(server);
  return { server, sessions, events, url: server.url };
}

const dataOf = (json: JsonObject) => (json['error'] as JsonObject)['data'] as JsonObject;

describe('the HTTP server', () => {
  it('answers /health', async () => {
    const { url } = await setUp();
    expect((await send(`${url}/health`)).json).toEqual({ status: 'ok' });
  });

  it('names the known addresses where nothing is, as JSON', async () => {
    const { url } = await setUp();
    for (const path of ['/', '/nope', '/api/x', '/mcp/a/b', '/%00', '/..%2f..%2fetc/passwd']) {
      const answer = await send(url + path);
      expect(answer.status).toBe(404);
      expect((answer.json['error'] as JsonObject)['message']).toContain('/s/<upstream>/mcp');
    }
    const mode = await send(`${url}/mcp/nope`, toModern('tools/list'));
    expect([mode.status, dataOf(mode.json)['code']]).toEqual([404, 'ENDPOINT_NOT_FOUND']);
  });

  it('refuses a foreign Host or Origin on every route', async () => {
    const { url } = await setUp({
      pages: {
        takesUploads: () => false,
        answer: async (request) => (request.url.endsWith('/own') ? new Response('own') : undefined),
      },
    });
    for (const path of ['/mcp', '/mcp/direct', '/s/x/mcp', '/sse', '/messages', '/health', '/own', '/nope']) {
      for (const headers of [
        { host: 'evil.example' },
        { origin: 'http://evil.example' },
        { origin: 'null' },
      ]) {
        for (const method of ['GET', 'POST', 'OPTIONS']) {
          const answer = await send(url + path, { method, headers });
          expect([path, answer.status, dataOf(answer.json)['code']]).toEqual([path, 403, 'HOST_REFUSED']);
        }
      }
    }
    expect(
      (await send(`${url}/own`, { headers: { host: 'localhost', origin: 'http://localhost:1' } })).text,
    ).toBe('own');
  });

  it('refuses a request without a Host', async () => {
    const { server } = await setUp();
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => socket.write('GET /health HTTP/1.0\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => {
        text += String(chunk);
      });
      socket.on('close', () => resolve(text));
    });
    expect(answer).toContain('403');
    expect(answer).toContain('HOST_REFUSED');
  });

  it('turns a bug in a route into a 500 with an id that the feed knows', async () => {
    const { url, events } = await setUp({
      pages: {
        takesUploads: () => false,
        answer: async () => {
          throw new Error('secret detail');
        },
      },
    });
    const answer = await send(`${url}/bug`);
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret');
    const { fault } = dataOf(answer.json) as { fault: string };
    expect(events).toMatchObject([{ type: 'fault', fault }]);
  });

  it('turns a bug at an MCP address into a 500 with an id that the feed knows', async () => {
    const sessions = createFakeSessions();
    const broken = {
      ...sessions,
      endpointOf: () => {
        throw new Error('secret detail');
      },
    };
    const { url, events } = await setUp({ sessions: broken });
    const answer = await send(`${url}/mcp`, toModern('tools/list'));
    expect(answer.status).toBe(500);
    expect(answer.json['id']).toBe(1);
    expect(answer.text).not.toContain('secret');
    expect(events).toHaveLength(1);
  });

  it('refuses what is not acceptable, not JSON, too large or no message', async () => {
    const { url } = await setUp();
    const post = async (headers: Record<string, string | undefined>, body: unknown) => {
      const answer = await send(`${url}/mcp`, {
        method: 'POST',
        headers: { ...POST_HEADERS, ...headers },
        body,
      });
      return [answer.status, (answer.json['error'] as JsonObject)['code']];
    };
    expect(await post({ accept: 'application/json' }, {})).toEqual([406, -32600]);
    expect(await post({ accept: 'text/html' }, {})).toEqual([406, -32600]);
    expect(await post({ 'content-type': 'text/plain' }, {})).toEqual([415, -32600]);
    expect(await post({ 'content-type': undefined }, {})).toEqual([415, -32600]);
    expect(await post({}, 'nonsense')).toEqual([400, -32700]);
    expect(await post({}, '')).toEqual([400, -32700]);
    expect(await post({}, Buffer.from([0x22, 0xff, 0x22]))).toEqual([400, -32700]);
    expect(await post({}, { jsonrpc: '2.0', Method: 'tools/list', id: 1 })).toEqual([400, -32600]);
    expect(await post({}, '['.repeat(100_000))).toEqual([400, -32600]);
    expect(await post({}, 'x'.repeat(BODY_LIMIT + 1))).toEqual([413, -32600]);
    expect(await post({ 'transfer-encoding': 'chunked' }, 'x'.repeat(BODY_LIMIT * 2))).toEqual([413, -32600]);
  });

  it('passes the profile and the address on', async () => {
    const { url, sessions } = await setUp();
    const hello = {
      method: 'POST',
      headers: POST_HEADERS,
      body: {
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {} },
      },
    };
    for (const path of ['/mcp', '/mcp/', '/mcp/direct?profile=work', '/s/github/mcp'])
      await send(url + path, hello);
    expect(sessions.opened.map(({ endpoint }) => endpoint)).toEqual([
      { kind: 'mode', mode: 'auto', profile: undefined },
      { kind: 'mode', mode: 'auto', profile: undefined },
      { kind: 'mode', mode: 'direct', profile: 'work' },
      { kind: 'upstream', upstream: 'github' },
    ]);
  });

  it.each(['0.0.0.0', '::', '192.168.0.7', 'example.com'])('refuses to listen on %s', async (host) => {
    await expect(setUp({ host })).rejects.toMatchObject({ code: 'BIND_REFUSED' });
  });

  it('says which port is taken and what to do', async () => {
    const { server } = await setUp();
    await expect(setUp({ port: server.port })).rejects.toMatchObject({
      code: 'BIND_REFUSED',
      message: expect.stringMatching(new RegExp(`port ${server.port} .*--port`)),
    });
  });

  it('closes at once when no call runs, although connections and streams are open', async () => {
    const { server, url } = await setUp({ clock: createFakeClock() });
    const idle = connect(server.port, '127.0.0.1');
    await new Promise((resolve) => idle.on('connect', resolve));
    const listening = await stream(`${url}/mcp`, toModern('subscriptions/listen', { notifications: {} }));
    await listening.next();
    await server.close();
    servers.length = 0;
    expect(JSON.parse((await listening.next())?.data ?? '')).toMatchObject({
      result: { resultType: 'complete' },
    });
  });

  it('lets calls finish when it stops, refuses new ones with 503, and answers the rest itself', async () => {
    const clock = createFakeClock();
    const { server, url, sessions } = await setUp({ clock });
    const running = send(`${url}/mcp`, toModern('tools/call', { name: 'hang' }, 2));
    await sessions.running();
    const closed = server.close();
    for (const late of [
      await send(`${url}/mcp`, toModern('tools/call', { name: 'echo' }, 3)),
      await send(`${url}/health`),
    ]) {
      expect([late.status, late.headers['retry-after']]).toEqual([503, '5']);
      expect(dataOf(late.json)).toMatchObject({ code: 'TOO_BUSY', fault: expect.any(String) });
    }
    await clock.advance(DRAIN_MS);
    const answer = JSON.parse(/^data: (.*)$/m.exec((await running).text)?.[1] ?? '') as JsonObject;
    expect(answer['id']).toBe(2);
    expect(dataOf(answer)).toMatchObject({ code: 'TOO_BUSY', stopping: true, retry: false });
    await closed;
    servers.length = 0;
    expect(sessions.live).toBe(0);
  });

  it('answers what is no HTTP as JSON', async () => {
    const { server } = await setUp();
    for (const [bytes, status] of [
      ['nonsense\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
      [
        'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n',
        400,
      ],
    ] as const) {
      const text = await exchangeBytes(server.port, bytes);
      expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({ jsonrpc: '2.0', id: null });
    }
  });
});

function exchangeBytes(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject).on('close', () => resolve(text));
  });
}

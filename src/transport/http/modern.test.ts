import { afterEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createFakeSessions } from '../../../test/support/fake-sessions.ts';
import { type RawRequest, send, stream, toModern } from '../../../test/support/raw-http.ts';
import { createFeed } from '../../events/feed.ts';
import type { Clock } from '../../lib/clock.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { META, MODERN_REVISION } from '../../model/mcp.ts';
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

function withHeaders(request: RawRequest, headers: Record<string, string | undefined>): RawRequest {
  return { ...request, headers: { ...request.headers, ...headers } };
}

const codeOf = (json: JsonObject) => (json['error'] as JsonObject | undefined)?.['code'];

describe('the modern face', () => {
  it('answers a quick request with plain JSON and keeps nothing', async () => {
    const { url, sessions } = await setUp();
    const answer = await send(url, toModern('tools/call', { name: 'echo', arguments: { a: 1 } }, 'x'));
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['mcp-session-id']).toBeUndefined();
    expect(answer.json).toMatchObject({ id: 'x', result: { content: [{ text: '{"a":1}' }] } });
    expect(sessions.live).toBe(0);
  });

  it('turns into a stream at the first interim message', async () => {
    const { url } = await setUp();
    const answer = await stream(
      url,
      toModern('tools/call', { name: 'progress', _meta: { progressToken: 'p' } }),
    );
    expect(answer.headers['content-type']).toBe('text/event-stream');
    expect(answer.headers['x-accel-buffering']).toBe('no');
    const messages = [await answer.next(), await answer.next(), await answer.next()].map((e) =>
      JSON.parse(e!.data),
    );
    expect(messages).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } },
      { method: 'notifications/progress', params: { progress: 2 } },
      { id: 1, result: { content: [{ text: 'done' }] } },
    ]);
    expect(await answer.next()).toBeUndefined();
  });

  it('turns into a stream when it takes long, and stays alive', async () => {
    const clock = createFakeClock();
    const { url, sessions } = await setUp(clock);
    const pending = stream(url, toModern('tools/call', { name: 'hang' }));
    await sessions.running();
    await clock.advance(5_000);
    const answer = await pending;
    expect(answer.headers['content-type']).toBe('text/event-stream');
    await clock.advance(60_000);
    sessions.release();
    expect(JSON.parse((await answer.next())!.data)).toMatchObject({ id: 1, result: {} });
  });

  it('aborts the request when the connection closes, streaming or not', async () => {
    const { url, sessions } = await setUp();
    const streaming = await stream(url, toModern('tools/call', { name: 'late' }, 'streaming'));
    await streaming.next();
    streaming.cut();
    await expect.poll(() => sessions.aborted).toEqual(['streaming']);
    const controller = new AbortController();
    const plain = toModern('tools/call', { name: 'hang' }, 'plain');
    const pending = fetch(url, {
      method: 'POST',
      headers: JSON.parse(JSON.stringify(plain.headers)),
      body: JSON.stringify(plain.body),
      signal: controller.signal,
    }).catch(() => 'gone');
    await sessions.running();
    controller.abort();
    expect(await pending).toBe('gone');
    await expect.poll(() => sessions.aborted).toEqual(['streaming', 'plain']);
    await expect.poll(() => sessions.live).toBe(0);
  });

  it('streams a subscription at once and ends it gracefully when the server closes', async () => {
    const { url, sessions, server } = await setUp();
    const answer = await stream(
      url,
      toModern('subscriptions/listen', { notifications: { toolsListChanged: true } }, 5),
    );
    expect(JSON.parse((await answer.next())!.data)).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta: { [META.subscriptionId]: 5 } },
    });
    sessions.announce('notifications/tools/list_changed');
    expect(JSON.parse((await answer.next())!.data)).toMatchObject({
      method: 'notifications/tools/list_changed',
    });
    const closing = server.close();
    expect(JSON.parse((await answer.next())!.data)).toMatchObject({
      id: 5,
      result: { resultType: 'complete' },
    });
    expect(await answer.next()).toBeUndefined();
    await closing;
    servers.length = 0;
    expect(sessions.aborted).toEqual([5]);
  });

  it('leaves out news that are nested too deep to be written, and answers such a result with an error', async () => {
    const { url, sessions } = await setUp();
    const deep = () => JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as JsonValue;
    const text = 'x'.repeat(300_000);
    sessions.openModern = () => ({
      async request(_method, params, call) {
        if (params['name'] === 'noisy') call.client.notify('notifications/message', { data: deep() });
        return { content: [{ type: 'text', text }], structuredContent: { deep: deep() } };
      },
      notification() {},
      close() {},
    });
    for (const name of ['quiet', 'noisy']) {
      const answer = await send(url, toModern('tools/call', { name }, 3));
      expect(answer.text).toContain('RESULT_TOO_LARGE');
      expect(answer.text).toContain('"id":3');
    }
  });

  const list = toModern('tools/list');
  const call = toModern('tools/call', { name: 'echo' });
  it.each<[string, RawRequest]>([
    ['the version header is missing', withHeaders(list, { 'mcp-protocol-version': undefined })],
    ['the version header disagrees', withHeaders(list, { 'mcp-protocol-version': '2025-11-25' })],
    ['the method header is missing', withHeaders(list, { 'mcp-method': undefined })],
    ['the method header disagrees', withHeaders(list, { 'mcp-method': 'tools/call' })],
    ['the method header differs in case', withHeaders(list, { 'mcp-method': 'Tools/List' })],
    ['the name header is missing', withHeaders(call, { 'mcp-name': undefined })],
    ['the name header disagrees', withHeaders(call, { 'mcp-name': 'other' })],
    ['the name header is bad base64', withHeaders(call, { 'mcp-name': '=?base64?%%?=' })],
    ['the encoded name disagrees', withHeaders(call, { 'mcp-name': '=?base64?b3RoZXI=?=' })],
    ['a param header is bad base64', withHeaders(call, { 'mcp-param-a': '=?base64?x?=' })],
    [
      'initialize names a modern revision',
      { ...list, body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} } },
    ],
  ])('refuses a request when %s', async (_, request) => {
    const { url } = await setUp();
    const answer = await send(url, request);
    expect([answer.status, codeOf(answer.json), answer.json['id']]).toEqual([400, -32020, 1]);
  });

  it('decodes an encoded name before it compares', async () => {
    const { url } = await setUp();
    expect((await send(url, withHeaders(call, { 'mcp-name': '=?base64?ZWNobw==?=' }))).status).toBe(200);
  });

  it('refuses a revision it does not speak and says which it does', async () => {
    const { url } = await setUp();
    const future = withHeaders(toModern('tools/list', { _meta: { [META.protocolVersion]: '2030-01-01' } }), {
      'mcp-protocol-version': '2030-01-01',
    });
    const answer = await send(url, future);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      id: 1,
      error: {
        code: -32022,
        data: { requested: '2030-01-01', supported: expect.arrayContaining([MODERN_REVISION]) },
      },
    });
  });

  it('refuses a request that lacks its client capabilities', async () => {
    const { url } = await setUp();
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: { _meta: { [META.protocolVersion]: MODERN_REVISION } },
    };
    const answer = await send(url, { ...list, body });
    expect([answer.status, codeOf(answer.json)]).toEqual([400, -32602]);
    const bare = await send(url, { ...list, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    expect([bare.status, codeOf(bare.json)]).toEqual([400, -32602]);
  });

  it('answers an unknown method with 404, an unknown tool and a bug inside 200', async () => {
    const { url } = await setUp();
    const unknown = await send(url, toModern('no/such'));
    expect([unknown.status, codeOf(unknown.json)]).toEqual([404, -32601]);
    const tool = await send(url, toModern('tools/call', { name: 'nope' }));
    expect([tool.status, codeOf(tool.json)]).toEqual([200, -32602]);
    const bug = await send(url, toModern('tools/call', { name: 'bug' }));
    expect([bug.status, codeOf(bug.json)]).toEqual([200, -32603]);
    expect(bug.text).not.toContain('secret');
  });

  it('takes no GET, DELETE, batch or answer', async () => {
    const { url } = await setUp();
    const headers = { 'mcp-protocol-version': MODERN_REVISION, accept: 'text/event-stream' };
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await send(url, { method, headers });
      expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
    }
    expect((await send(url, { ...list, body: [list.body] })).status).toBe(400);
    expect((await send(url, { ...list, body: { jsonrpc: '2.0', id: 1, result: {} } })).status).toBe(400);
  });

  it('accepts a notification without effect', async () => {
    const { url } = await setUp();
    const answer = await send(url, { ...list, body: { jsonrpc: '2.0', method: 'notifications/x' } });
    expect([answer.status, answer.text]).toEqual([202, '']);
  });

  it('gives each of 200 simultaneous requests with one id its own answer', async () => {
    const { url } = await setUp();
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        const name = n % 2 === 0 ? 'echo' : 'progress';
        const answer = await send(url, toModern('tools/call', { name, arguments: { canary: n } }, 0));
        return name === 'echo' ? answer.text.includes(`{\\"canary\\":${n}}`) : answer.text.includes('done');
      }),
    );
    expect(answers.every(Boolean)).toBe(true);
  });
});

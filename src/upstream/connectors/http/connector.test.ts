import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createCall } from '../../../../test/support/contexts.ts';
import { createFastClock } from '../../../../test/support/fake-clock.ts';
import { listen, startHttpServer, startSseServer } from '../../../../test/support/http-server.ts';
import { isUnsent } from '../../../wire/unsent.ts';
import { openTestConnection, runConnectorContract } from '../../connector.contract.ts';
import { http } from './connector.ts';

for (const era of ['legacy', 'modern'] as const)
  runConnectorContract({
    connector: http,
    era,
    async start() {
      const server = await startHttpServer(era);
      return { options: { url: server.url }, breakLink: server.close, stop: server.close };
    },
  });

runConnectorContract({
  connector: http,
  era: 'legacy',
  title: 'that only knows the old SSE pair',
  async start() {
    const server = await startSseServer();
    return { options: { url: server.url }, breakLink: server.close, stop: server.close };
  },
});

const call = (name: string, args = {}) => ({ name, arguments: args });

/** A legacy server in one session that answers everything by a stream, each as `answer` has it. */
function startStreamServer(
  answer: (write: (message: object) => void, id: number, response: ServerResponse) => void,
  onGet: (response: ServerResponse) => void = (response) => void response.writeHead(405).end(),
) {
  return listen(async (request, response) => {
    if (request.method === 'DELETE') return response.end();
    if (request.method === 'GET') return onGet(response);
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as { id?: number; method: string };
    if (id === undefined) return response.writeHead(202).end();
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Mcp-Session-Id': 's' });
    const write = (message: object) =>
      void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
    if (method !== 'initialize') return answer(write, id, response);
    const serverInfo = { name: 'x', version: '1' };
    write({ id, result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo } });
    return response.end();
  });
}

describe('a server at a URL', () => {
  it('that refuses with a long page is told by its status', async () => {
    const server = await listen((_request, response) => {
      response.writeHead(503, { 'Content-Type': 'text/html' }).end('x'.repeat(2 * 1024 * 1024));
    });
    await expect(openTestConnection(http, { url: server.origin }, { era: 'modern' })).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      data: { status: 503 },
    });
    await server.close();
  });

  it('that speaks both eras is spoken to in the modern one', async () => {
    const server = await startHttpServer('both');
    await using connection = await openTestConnection(http, { url: server.url, headers: { 'X-Key': 'k' } });
    await connection.request('tools/call', call('echo', { text: 'x' }), createCall(), {
      'Mcp-Param-Text': 'x',
    });
    expect(connection.hello.era).toBe('modern');
    expect(server.seen.at(-1)?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
      'mcp-param-text': 'x',
      'x-key': 'k',
    });
    expect(server.seen.some(({ headers }) => 'mcp-session-id' in headers)).toBe(false);
    await connection[Symbol.asyncDispose]();
    await server.close();
  });

  it('is told of the session and the revision in the legacy era, and of its end', async () => {
    const server = await startHttpServer('legacy');
    const connection = await openTestConnection(http, { url: server.url });
    await connection.request('tools/list', {}, createCall());
    expect(server.seen.findLast(({ method }) => method === 'POST')?.headers).toMatchObject({
      'mcp-protocol-version': '2025-11-25',
      'mcp-session-id': expect.any(String),
    });
    await connection[Symbol.asyncDispose]();
    expect(server.seen.at(-1)?.method).toBe('DELETE');
    await server.close();
  });

  it.each(['legacy', 'modern'] as const)('says when its tools change, in the %s era', async (era) => {
    const server = await startHttpServer(era);
    await using connection = await openTestConnection(http, { url: server.url });
    const heard: string[] = [];
    connection.onNotification((method) => heard.push(method));
    await expect
      .poll(async () => {
        await server.toolsChanged();
        return heard;
      })
      .toContain('notifications/tools/list_changed');
    await connection[Symbol.asyncDispose]();
    await server.close();
  });

  it('that forgot the session closes the link, and the call may be sent again', async () => {
    const server = await startHttpServer('legacy');
    const connection = await openTestConnection(http, { url: server.url });
    server.forgetSessions();
    const failure = await connection.request('tools/list', {}, createCall()).catch((error: unknown) => error);
    expect(isUnsent(failure)).toBe(true);
    expect(await connection.closed).toMatchObject({ message: 'the server ended the session' });
    await server.close();
  });

  it('that is not there is reported with its address, without its query', async () => {
    const url = 'http://127.0.0.1:1/mcp?key=secret';
    await expect(openTestConnection(http, { url })).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      message: expect.not.stringContaining('secret'),
    });
  });

  it('that wants credentials is reported as such and not taken for an old one', async () => {
    const server = await listen((_request, response) =>
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer realm="x"' }).end(),
    );
    await expect(openTestConnection(http, { url: server.origin })).rejects.toMatchObject({
      code: 'UPSTREAM_AUTH',
      data: { status: 401, challenge: 'Bearer realm="x"' },
    });
    expect(server.seen).toHaveLength(1);
    await server.close();
  });

  it('may redirect within its origin only', async () => {
    const elsewhere = await listen((_request, response) => response.end());
    const server = await listen((request, response) => {
      const location = request.url === '/mcp' ? '/mcp/' : `${elsewhere.origin}/mcp`;
      response.writeHead(307, { Location: location }).end();
    });
    const opening = openTestConnection(http, { url: `${server.origin}/mcp`, headers: { 'X-Key': 'k' } });
    await expect(opening).rejects.toMatchObject({ message: expect.stringContaining('another origin') });
    expect(elsewhere.seen).toEqual([]);
    await Promise.all([server.close(), elsewhere.close()]);
  });

  it('that answers with too much fails that call alone', async () => {
    for (const era of ['legacy', 'modern'] as const) {
      const server = await startHttpServer(era);
      await using connection = await openTestConnection(http, { url: server.url, maxMessageBytes: 50_000 });
      const big = connection.request('tools/call', call('big', { bytes: 60_000 }), createCall());
      await expect(big).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE' });
      await connection.request('tools/call', call('echo', { text: 'alive' }), createCall());
      await connection[Symbol.asyncDispose]();
      await server.close();
    }
  });

  it('may break the stream of an answer off and be asked for the rest', async () => {
    const event = (id: number, message: object) =>
      `id: e${id}\nretry: 5\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
    const server = await listen(async (request, response) => {
      if (request.method === 'DELETE') return response.end();
      const stream = () =>
        response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Mcp-Session-Id': 's' });
      if (request.method === 'GET') {
        if (request.headers['last-event-id'] !== 'e1') return response.writeHead(405).end();
        return stream().end(event(2, { id: Number(last), result: { resumed: true } }));
      }
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as { id?: number; method: string };
      if (id === undefined) return response.writeHead(202).end();
      if (method === 'initialize') {
        const result = {
          protocolVersion: '2025-11-25',
          capabilities: {},
          serverInfo: { name: 'x', version: '1' },
        };
        return stream().end(event(0, { id, result }));
      }
      last = id;
      return stream().end(
        event(1, { method: 'notifications/message', params: { level: 'info', data: 'soon' } }),
      );
    });
    let last: number | undefined;
    await using connection = await openTestConnection(http, { url: server.origin }, { era: 'legacy' });
    const ctx = createCall();
    expect(await connection.request('tools/call', call('any'), ctx)).toEqual({ resumed: true });
    expect(ctx.heard).toMatchObject([{ method: 'notifications/message' }]);
    await connection[Symbol.asyncDispose]();
    await server.close();
  });

  it('may say more after an answer for a moment; a stream it never ends is ended for it', async () => {
    let ended = 0;
    const server = await startStreamServer((write, id, response) => {
      response.on('close', () => {
        ended += 1;
      });
      write({ id, result: {} });
      write({ method: 'notifications/tools/list_changed' });
    });
    const connection = await openTestConnection(
      http,
      { url: server.origin },
      { era: 'legacy', clock: createFastClock(20) },
    );
    const news: string[] = [];
    connection.onNotification((method) => news.push(method));
    const calls = [createCall(), createCall(), createCall()];
    for (const each of calls) await connection.request('tools/list', {}, each);
    await expect.poll(() => ended).toBe(3);
    expect([...calls.flatMap(({ heard }) => heard), ...news]).toHaveLength(3);
    await connection[Symbol.asyncDispose]();
    await server.close();
  });

  it('that forgot the session is not kept by a stream it left open after its answer', async () => {
    let forget = () => {};
    const server = await startStreamServer(
      (write, id) => write({ id, result: {} }),
      (response) => {
        forget = () => void response.writeHead(404).end();
      },
    );
    const connection = await openTestConnection(http, { url: server.origin }, { era: 'legacy' });
    await connection.request('tools/list', {}, createCall());
    await expect.poll(() => server.seen.some(({ method }) => method === 'GET')).toBe(true);
    forget();
    expect(await connection.closed).toMatchObject({ message: 'the server ended the session' });
    await server.close();
  });
});

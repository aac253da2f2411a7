import { afterEach, describe, expect, it } from 'vitest';
import { createFakeSessions } from '../../../test/support/fake-sessions.ts';
import { send, stream } from '../../../test/support/raw-http.ts';
import { createFeed } from '../../events/feed.ts';
import { type HttpServer, openHttpServer } from './server.ts';

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function setUp() {
  const sessions = createFakeSessions();
  const feed = createFeed();
  const server = await openHttpServer({ host: '127.0.0.1', port: 0, sessions, health: () => ({}), feed });
  servers.push(server);
  return { sessions, url: server.url };
}

const hello = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2024-11-05', capabilities: {} },
};
const toPost = (body: unknown) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body });

describe('the SSE pair', () => {
  it.each([
    ['/sse', '/messages'],
    ['/mcp/direct/sse', '/mcp/direct/messages'],
    ['/s/github/sse?profile=work', '/s/github/messages'],
  ])('stands at %s and takes messages at %s', async (path, messages) => {
    const { url, sessions } = await setUp();
    const events = await stream(url + path, { headers: { accept: 'text/event-stream' } });
    const first = (await events.next())!;
    expect(first.event).toBe('endpoint');
    expect(first.data.startsWith(`${messages}?sessionId=`)).toBe(true);
    expect((await send(url + first.data, toPost(hello))).status).toBe(202);
    expect(JSON.parse((await events.next())!.data)).toMatchObject({
      id: 0,
      result: { protocolVersion: '2024-11-05' },
    });
    sessions.push('notifications/tools/list_changed');
    expect(JSON.parse((await events.next())!.data)).toMatchObject({
      method: 'notifications/tools/list_changed',
    });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hang' } };
    await send(url + first.data, toPost(call));
    await sessions.running();
    events.cut();
    await expect.poll(() => sessions.live).toBe(0);
    expect(sessions.aborted).toEqual([1]);
    expect((await send(url + first.data, toPost(hello))).status).toBe(404);
  });

  it('refuses messages for no stream, for a stream elsewhere, and wrong methods', async () => {
    const { url } = await setUp();
    const events = await stream(`${url}/sse`, { headers: { accept: 'text/event-stream' } });
    const { data } = (await events.next())!;
    expect((await send(`${url}/messages`, toPost(hello))).status).toBe(404);
    expect((await send(`${url}/mcp/direct${data}`, toPost(hello))).status).toBe(404);
    expect((await send(`${url}/messages`)).status).toBe(405);
    expect((await send(`${url}/sse`, toPost(hello))).status).toBe(405);
    expect((await send(url + data, { ...toPost('nonsense') })).status).toBe(400);
  });
});

/** A share from its start to its end: a person agrees, a client with the token has one server, and nobody has it afterwards. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openShares } from '../../src/session/shares.ts';
import { openStore } from '../../src/store/open.ts';
import { connectClient, echo, type Managed, openManaged, say } from '../support/managed.ts';
import { eventually } from '../support/program.ts';
import { POST_HEADERS, type RawRequest, send, stream, toModern } from '../support/raw-http.ts';

let managed: Managed;
beforeAll(async () => {
  managed = await openManaged({ servers: { own: echo('own'), pair: { ...echo('pair'), tags: ['work'] } } });
});
afterAll(() => managed[Symbol.asyncDispose]());

const at = (name: string) => `${managed.served.url}/i/${name}/mcp`;
const withToken = (request: RawRequest, token: string): RawRequest => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${token}` },
});
const ask = (name: string, token: string, method = 'tools/list', params = {}) =>
  send(at(name), withToken(toModern(method, params), token));

async function start(...words: string[]): Promise<string> {
  const { code, out, err } = await managed.run('share', 'start', ...words, '--yes', '--json');
  expect(code, out + err).toBe(0);
  return (JSON.parse(out) as { token: string }).token;
}

async function namesAt(name: string, token: string): Promise<readonly string[]> {
  const { json } = await ask(name, token);
  return (json['result'] as unknown as { tools: { name: string }[] }).tools.map((tool) => tool.name);
}

describe('a share of one server', () => {
  let token: string;

  it('is started by an agent only when the person agrees, and told what opens', async () => {
    const asked: string[] = [];
    const owner = (await readFile(join(managed.place.home, 'admin-token'), 'utf8')).trim();
    const answer = (message: string) => {
      asked.push(message);
      return asked.length === 1 ? 'decline' : 'accept';
    };
    const refusing = await connectClient(`${managed.served.url}/s/manage/mcp`, 'legacy', answer, owner);
    const wish = { action: 'start', name: 'desk', hours: 1 };
    expect(await say(refusing, 'thimble_share', wish)).toMatchObject({ isError: true });
    expect((await managed.run('share', 'list')).out).toContain('Nothing is shared');
    const { text, isError } = await say(refusing, 'thimble_share', wish);
    await refusing.close();
    expect([isError, asked.length]).toEqual([false, 2]);
    expect(asked[1]).toContain(`${managed.served.url}/i/desk/mcp`);
    token = /Bearer (\S+)/.exec(text)?.[1] ?? '';
    expect(token).toMatch(/^thimble_share_/);
    expect(asked.join()).not.toContain(token);
  });

  it.each(['legacy', 'modern'] as const)(
    'shows a %s client with the token that server and no other',
    async (era) => {
      const client = await connectClient(at('desk'), era, undefined, token);
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).toContain('echo');
      expect(names.filter((name) => /thimble_|own|pair/.test(name))).toEqual([]);
      expect((await say(client, 'echo', { text: 'through' })).text).toContain('through');
      for (const name of ['own__echo', 'thimble_server', 'thimble_share', 'manage__thimble_server'])
        await expect(client.callTool({ name, arguments: { action: 'list' } })).rejects.toThrow();
      await client.close();
    },
  );

  it('is closed to everybody without the token, and the token opens nothing else', async () => {
    for (const wrong of ['', 'x', `${token}x`, token.slice(0, -1)])
      expect((await ask('desk', wrong)).status).toBe(401);
    expect((await send(at('desk'), toModern('tools/list'))).status).toBe(401);
    for (const path of ['/api', '/i/own/mcp', '/i/manage/mcp', '/i/pair/mcp'])
      expect(
        (await send(`${managed.served.url}${path}`, withToken(toModern('tools/list'), token))).status,
      ).toBe(401);
  });

  it('cannot be one of manage', async () => {
    expect(await managed.run('share', 'start', 'manage', '--yes')).toMatchObject({ code: 4 });
  });

  it('outlives the gateway until its end', async () => {
    await managed.restart();
    expect(await namesAt('desk', token)).toContain('echo');
    expect((await ask('desk', 'wrong')).status).toBe(401);
  });

  it('is over within a second of its stop, for whoever is in the middle of it', async () => {
    const hello = await send(
      at('desk'),
      withToken(
        {
          method: 'POST',
          headers: POST_HEADERS,
          body: {
            jsonrpc: '2.0',
            id: 1,
            method: 'initialize',
            params: {
              protocolVersion: '2025-11-25',
              capabilities: {},
              clientInfo: { name: 'raw', version: '1' },
            },
          },
        },
        token,
      ),
    );
    const session = String(hello.headers['mcp-session-id']);
    const headers = { accept: 'text/event-stream', 'mcp-session-id': session };
    const live = await stream(at('desk'), withToken({ headers }, token));
    expect(live.status).toBe(200);
    const over = (async () => {
      while (await live.next());
      return performance.now();
    })();
    // Counted from when the command is done: what it says is that the share has ended.
    expect((await managed.run('share', 'stop', 'desk')).code).toBe(0);
    const stopped = performance.now();
    // A second by itself; on a machine that stands still meanwhile a few.
    expect((await over) - stopped).toBeLessThan(5_000);
    await eventually(
      'the token is worth nothing',
      async () => (await ask('desk', token)).status === 401,
      5_000,
    );
    expect(await managed.run('share', 'stop', 'desk')).toMatchObject({ code: 4 });
  });
});

describe('a share of a profile', () => {
  it('narrows lists and calls to the servers of the profile, also when they change', async () => {
    const token = await start('work', '--as', 'team');
    await eventually('it is open', async () => (await ask('team', token)).status === 200);
    const names = await namesAt('team', token);
    expect(names.filter((name) => /^(desk|pair)__echo$/.test(name))).toHaveLength(2);
    expect(names.filter((name) => /^own__|thimble_/.test(name))).toEqual([]);
    const call = async (name: string) =>
      (await ask('team', token, 'tools/call', { name, arguments: { text: 'hi' } })).text;
    expect(await call('pair__echo')).toContain('hi');
    for (const name of ['own__echo', 'thimble_server', 'echo'])
      expect(await call(name)).toMatch(/TOOL_NOT_FOUND/);
    expect((await managed.run('profile', 'edit', 'work', '--remove', 'pair', '--yes')).code).toBe(0);
    await eventually('pair has left', async () => (await call('pair__echo')).includes('TOOL_NOT_FOUND'));
    await managed.run('share', 'stop', 'team');
  });
});

describe('the end of a share', () => {
  it('comes by itself, and ends what goes on', async () => {
    await using store = await openStore(join(managed.place.home, 'thimble.db'));
    const expiresAt = Date.now() + 10_000;
    const token = await openShares(store).start({ name: 'brief', kind: 'server', target: 'desk', expiresAt });
    await eventually('it is open', async () => (await ask('brief', token)).status === 200, 8_000);
    expect((await managed.run('share', 'list')).out).toContain('brief');
    await eventually('it is over', async () => (await ask('brief', token)).status === 401);
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
    expect((await managed.run('share', 'list')).out).not.toContain('brief');
  });
});

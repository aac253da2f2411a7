/** A crawl of every address of a served gateway by strangers: nothing is told, nothing is started, nothing is written. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadOperations } from '../../src/operations/nouns/registry.ts';
import { type Managed, openManaged } from '../support/managed.ts';
import { commandOf, descendantsOf } from '../support/program.ts';
import { POST_HEADERS, type RawAnswer, send, toModern } from '../support/raw-http.ts';

let managed: Managed;
let token: string;
let paths: readonly string[];
beforeAll(async () => {
  managed = await openManaged();
  // The first request makes the token.
  await send(`${managed.served.url}/api`);
  token = (await readFile(join(managed.place.home, 'admin-token'), 'utf8')).trim();
  const list = await send(`${managed.served.url}/api`, { headers: { authorization: `Bearer ${token}` } });
  paths = (list.json['operations'] as unknown as { path: string }[]).map(({ path }) => path);
});
afterAll(() => managed[Symbol.asyncDispose]());

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const BODY = JSON.stringify({ name: 'desk', command: 'touch', args: ['/tmp/never'] });
const strangers = (): readonly (string | undefined)[] => [
  undefined,
  '',
  'Bearer',
  'Bearer wrong',
  `Bearer ${token}x`,
  `Bearer ${token.slice(0, -1)}`,
  `Bearer ${token.toUpperCase()}`,
  `Basic ${Buffer.from(`admin:${token}`).toString('base64')}`,
  token,
  `Bearer ${token}, Bearer ${token}`,
];

/** What runs, and what the machine holds. */
async function look(): Promise<unknown> {
  const pids = await descendantsOf(managed.served.child.pid ?? 0);
  const commands = await Promise.all(pids.map(commandOf));
  const config = await readFile(managed.place.config, 'utf8');
  const files = (await readdir(managed.place.dir, { recursive: true })).filter(
    (name) => !/thimble\.db|\.git\//.test(name),
  );
  return { commands: commands.sort(), config, files: files.sort() };
}

function ask(path: string, method: string, authorization: string | undefined): Promise<RawAnswer> {
  const body = method === 'GET' || method === 'HEAD' ? undefined : BODY;
  const headers = {
    'content-type': 'application/json',
    'content-length': body && String(body.length),
    authorization: authorization || undefined,
  };
  return send(`${managed.served.url}${path}`, { method, headers, body });
}

/** Words only somebody who may know them should read. */
const TELLING = /desk|lamp|work|thimble-[A-Za-z0-9]{6}|home\/|\bat .*:\d+:\d+/;

describe('a stranger', () => {
  it('is told the same nothing at every address of the admin API, by every method and token', {
    timeout: 600_000,
  }, async () => {
    const before = await look();
    expect(paths).toHaveLength((await loadOperations()).length);
    const bodies = new Set<string>();
    for (const path of [
      '/api',
      '/api/',
      ...paths,
      '/api/none',
      '/api/none/none',
      '/api/server/none',
      '/api/server/list/',
      '/api/server/list?token=1',
    ]) {
      // Every method with no token; every wrong token with the method that would do something.
      const asked = [
        ...METHODS.map((method) => [method, undefined] as const),
        ...strangers().map((authorization) => ['POST', authorization] as const),
      ];
      for (const [method, authorization] of asked) {
        const { status, text, headers } = await ask(path, method, authorization);
        expect([method, path, authorization, status]).toEqual([method, path, authorization, 401]);
        expect(headers['www-authenticate']).toBe('Bearer');
        if (method !== 'HEAD') bodies.add(text);
      }
    }
    expect(bodies.size).toBe(1);
    expect([...bodies].join()).not.toMatch(TELLING);
    expect(await look()).toEqual(before);
  });

  it('finds no way around by how an address is written', async () => {
    const before = await look();
    const odd = [
      '/%61pi',
      '/%61pi/server/list',
      '//api',
      '//api/server/list',
      '/api//server/list',
      '/api%2fserver%2flist',
      '/api%2Fserver/list',
      '/api/server%2flist',
      '/./api/server/list',
      '/x/../api/server/list',
      '/mcp/../api/server/list',
      '/%2e/api/server/list',
      '/x/%2e%2e/api/server/list',
      '/API/server/list',
      '/Api',
      '/api/server/list/..',
      '/api/server/list%00',
      '/api/server/list;x=1',
      '/api\\server\\list',
      '\\api\\server\\list',
      '/api/server/list#x',
      '/api.json',
      '/apis',
    ];
    for (const path of odd) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const { status, text } = await askRaw(path, method);
        expect([400, 401, 404, 405], `${method} ${path}: ${text}`).toContain(status);
        expect(text, path).not.toMatch(/desk|lamp/);
      }
    }
    expect(await look()).toEqual(before);
  });

  it.each([
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['the Origin null', { origin: 'null' }],
    ['a foreign Host', { host: 'evil.example' }],
    ['a Host that was rebound', { host: 'evil.example:7420' }],
  ])('from a page with %s is refused even with the token', async (_what, odd) => {
    const before = await look();
    for (const path of [
      '/api',
      '/api/server/list',
      '/api/share/start',
      '/health',
      '/mcp',
      '/i/desk/mcp',
      '/s/manage/mcp',
    ]) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const headers = { ...POST_HEADERS, authorization: `Bearer ${token}`, ...odd };
        const body = method === 'POST' ? BODY : undefined;
        const {
          status,
          text,
          headers: told,
        } = await send(`${managed.served.url}${path}`, { method, headers, body });
        expect([path, method, status]).toEqual([path, method, 403]);
        expect(text).not.toMatch(/desk|lamp/);
        expect(told['access-control-allow-origin']).toBeUndefined();
      }
    }
    expect(await look()).toEqual(before);
  });

  it('is told nothing at addresses of shares, whether there is one or not', async () => {
    const before = await look();
    const start = await managed.run('share', 'start', 'desk', '--yes', '--json');
    const { token: good } = JSON.parse(start.out) as { token: string };
    const bodies = new Set<string>();
    for (const name of ['desk', 'none', 'manage', 'DESK', 'desk%00', 'desk%2f..']) {
      for (const given of [undefined, 'wrong', `${good}x`, token]) {
        for (const method of ['GET', 'POST', 'DELETE']) {
          const request = toModern('tools/list');
          const authorization = given && `Bearer ${given}`;
          const headers = { ...request.headers, authorization };
          const body = method === 'POST' ? request.body : undefined;
          const answer = await send(`${managed.served.url}/i/${name}/mcp`, { method, headers, body });
          const isAddress = /^[a-z]+$/.test(name);
          expect(isAddress ? [401] : [400, 401, 404], `${method} ${name}`).toContain(answer.status);
          if (isAddress) bodies.add(answer.text.replaceAll(name, '<name>'));
        }
      }
    }
    expect(bodies.size).toBe(1);
    // The token of a share opens that share and nothing else.
    for (const path of ['/api', '/api/server/list', '/i/none/mcp'])
      expect((await ask(path, 'POST', `Bearer ${good}`)).status).toBe(401);
    await managed.run('share', 'stop', 'desk');
    expect(await look()).toEqual(before);
  });
});

describe('whoever has the token', () => {
  it('gets answers, and JSON alone is taken for a request', async () => {
    const authorization = `Bearer ${token}`;
    const ok = await ask('/api/server/list', 'POST', authorization);
    expect([ok.status, ok.text]).toEqual([400, expect.stringContaining('command')]);
    const list = await send(`${managed.served.url}/api/server/list`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
    });
    expect(list.text).toContain('desk');
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])
      expect(
        (
          await send(`${managed.served.url}/api/server/list`, {
            method: 'POST',
            headers: { authorization, 'content-type': type },
            body: '{}',
          })
        ).status,
      ).toBe(415);
    for (const path of paths) expect((await ask(path, 'GET', authorization)).status, path).toBe(405);
  });
});

/** Sends a request line as it is: a client library would tidy the address first. */
async function askRaw(path: string, method: string): Promise<{ status: number; text: string }> {
  const { connect } = await import('node:net');
  const { port } = new URL(managed.served.url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(
        `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
      ),
    );
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.on('error', reject);
    socket.on('close', () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }));
  });
}

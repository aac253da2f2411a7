import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type FakeAuthorization,
  type FakeResource,
  startAuthorization,
  startResource,
} from '../../../test/support/authorization-server.ts';
import { readFolder } from '../../../test/support/read-folder.ts';
import { callText } from '../../../test/support/upstream-parts.ts';
import { createGateway } from '../../gateway.ts';
import type { UpstreamId } from '../../model/ids.ts';
import { runProgram } from '../program.ts';

let home: string;
let as: FakeAuthorization;
let resource: FakeResource;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'thimble-login-'));
  as = await startAuthorization();
  resource = await startResource(as);
});
afterEach(async () => {
  await Promise.all([as.close(), resource.close()]);
  await rm(home, { recursive: true, force: true });
});

/** Runs `thimble login`, as somebody would who opens every address they are shown. */
async function logIn(word: string, mcpServers: object, { env = {}, exposure = {} } = {}) {
  await writeFile(join(home, 'thimble.jsonc'), JSON.stringify({ mcpServers, exposure }));
  const lines: string[] = [];
  const visits: Promise<number>[] = [];
  const print = (line: string) => {
    lines.push(line);
    const [address] = /http\S+\/authorize\S*/.exec(line) ?? [];
    if (address !== undefined) visits.push(fetch(address).then(({ status }) => status));
  };
  const streams = { input: new PassThrough(), output: new PassThrough() };
  const ports = {
    cwd: home,
    env,
    print,
    streams,
    program: [],
    terminal: undefined,
    stopped: new Promise<string>(() => {}),
  };
  const complain = (line: string) => lines.push(line);
  const code = await runProgram(['login', word, '--home', home], ports, { print, complain });
  return { code, text: lines.join('\n'), visits: await Promise.all(visits) };
}

it('logs a person in, uses the login, and leaves it to the gateway', async () => {
  const mcpServers = { vault: { url: resource.url } };
  const { code, text, visits } = await logIn('vault', mcpServers);
  expect(text).toContain('Logged in to vault: it offers 1 tool.');
  expect([code, visits]).toEqual([0, [200]]);
  await using gateway = await createGateway({ mcpServers }, { home, env: {} });
  expect(await callText(gateway.upstreams.get('vault' as UpstreamId), 'secret')).toBe('told');
  const [token = ''] = resource.seen.flatMap(({ authorization }) => authorization?.slice(7) ?? []);
  expect(await readFolder(home)).not.toContain(token);
  expect(text).not.toContain(token);
});

it.each([{ exposure: { activate: { default: 'memory' } } }, { env: { THIMBLE_DEFAULT_SERVER: 'memory' } }])(
  'logs in to a server that is not the default one of %j',
  async (settings) => {
    const { code, text } = await logIn('vault', { vault: { url: resource.url } }, settings);
    expect([code, text]).toEqual([0, expect.stringContaining('Logged in to vault')]);
  },
);

it('says what cannot be logged in to', async () => {
  const mcpServers = {
    vault: { url: resource.url },
    key: { url: resource.url, headers: { authorization: 'x' } },
  };
  expect(await logIn('valt', mcpServers)).toMatchObject({
    code: 4,
    text: expect.stringMatching(/no configured server is called "valt".*did you mean "?vault/),
  });
  expect(await logIn('key', mcpServers)).toMatchObject({
    code: 1,
    text: expect.stringContaining('key takes no login'),
  });
});

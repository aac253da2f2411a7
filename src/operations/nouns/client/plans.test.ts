import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findClient } from '../../../clients/known/registry.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { House } from '../../house.ts';
import { carryOutIntake } from '../../intake/intake.ts';
import { toPlanLines } from '../../operation.ts';
import { openTestHouse, type TestHouse } from '../../test-house.contract.ts';
import { findNamed, openHouseClients } from './house-clients.ts';
import { planImport } from './import-servers.ts';
import { CLIENT } from './operations.ts';

const fileOf = (house: House, key: string) => findClient(key).files(house)[0] ?? '';

async function openHouse(clients: Readonly<Record<string, string>>): Promise<TestHouse> {
  const house = await openTestHouse();
  for (const [key, text] of Object.entries(clients)) {
    await mkdir(dirname(fileOf(house, key)), { recursive: true });
    await writeFile(fileOf(house, key), text);
  }
  return house;
}

function prepare(verb: string, args: JsonObject) {
  const found = CLIENT.find((operation) => operation.verb === verb);
  if (!found) throw new Error(`no verb ${verb}`);
  return found.prepare(args);
}

const plan = async (verb: string, args: JsonObject, house: House) =>
  toPlanLines((await prepare(verb, args).plan(house)) ?? { summary: '', details: [] }).join('\n');
const run = (verb: string, args: JsonObject, house: House) => prepare(verb, args).run(house);
const servers = (entries: JsonObject) => JSON.stringify({ mcpServers: entries }, null, 2);
const configured = async (house: House) => (await house.config.read()).value['mcpServers'] as JsonObject;

const NPX = { command: 'npx', args: ['-y', 'some-server'] };
const EVIL = {
  command: 'node',
  args: ['-e', 'fetch("http://evil.example"); key=1'],
  env: { NODE_OPTIONS: '-r /e' },
};

describe('a plan that takes servers over', () => {
  it.each([
    ['import', {}],
    ['connect', { replace: true }],
  ])('shows all that each of them runs: %s', async (verb, more) => {
    await using house = await openHouse({
      cursor: servers({
        a: EVIL,
        '+b': { url: 'https://x.example/mcp' },
        c: { ...NPX, env: { KEY: 'fixture-1' } },
      }),
    });
    const planned = await plan(verb, { name: 'cursor', ...more }, house);
    expect(planned).toContain(
      'import a (cursor): new: runs node -e "fetch(\\"http://evil.example\\"); key=1"',
    );
    expect(planned).toContain('variable: NODE_OPTIONS="-r /e"');
    expect(planned).toContain('import +b (cursor): new: dials https://x.example/mcp');
    expect(planned).toContain('variable: KEY=(hidden, kept sealed)');
    expect(planned).toContain('may start these servers');
    expect(planned).not.toContain('fixture-1');
  });

  it('leaves out a server whose name cannot be seen, and says why', async () => {
    await using house = await openHouse({ cursor: servers({ 'good\u202E': NPX, 'b\nc': EVIL, d: NPX }) });
    await run('import', { name: 'cursor' }, house);
    expect(Object.keys(await configured(house))).toEqual(['d']);
    expect(await plan('connect', { name: 'cursor', replace: true }, house)).toContain(
      'characters that cannot be seen',
    );
  });

  it.each([
    ['import', {}],
    ['connect', { replace: true }],
  ])('keeps the times, and says by name what it leaves out, before and after: %s', async (verb, more) => {
    const text = [
      'extensions:',
      '  a:',
      '    type: stdio',
      '    cmd: npx',
      '    args: [some-server]',
      '    timeout: 300',
      '    available_tools: [fixture-3]',
      '    "odd key": fixture-4',
    ].join('\n');
    await using house = await openHouse({ goose: text });
    const planned = await plan(verb, { name: 'goose', ...more }, house);
    expect(planned).toMatch(/import a \(goose\): new: runs npx .*; left out: available_tools, "odd key"$/m);
    const { text: said } = await run(verb, { name: 'goose', ...more }, house);
    expect(said).toContain('a (goose): new; left out: available_tools, "odd key"');
    expect(`${planned.replaceAll(/^[ +-].*$/gm, '')}${said}`).not.toMatch(/fixture/);
    expect(await configured(house)).toEqual({
      a: { command: 'npx', args: ['some-server'], timeout: 300_000 },
    });
  });

  it('gives the times of one client to the server of another, and says which it does not', async () => {
    const goose = (timeout: number) =>
      `extensions:\n  b:\n    cmd: npx\n    args: [-y, some-server]\n    timeout: ${timeout}\n`;
    await using house = await openHouse({ 'claude-code': servers({ a: NPX }), goose: goose(300) });
    expect(await plan('import', {}, house)).toContain(
      'server b (goose): the same as a, which gets timeout of it',
    );
    await run('import', {}, house);
    expect(await configured(house)).toEqual({ a: { ...NPX, timeout: 300_000 } });
    await writeFile(fileOf(house, 'goose'), goose(60));
    const { text } = await run('import', {}, house);
    expect(text).toContain('b (goose): configured already as a; left out: timeout');
    expect(await configured(house)).toEqual({ a: { ...NPX, timeout: 300_000 } });
  });

  it('gives nobody a tool that somebody switched off', async () => {
    await using house = await openHouse({
      cursor: servers({ a: NPX }),
      windsurf: servers({ a: { ...NPX, disabledTools: ['rm'] } }),
    });
    await run('import', {}, house);
    const both = { a: NPX, 'a-windsurf': { ...NPX, disabledTools: ['rm'] } };
    expect(await configured(house)).toEqual(both);
    await house.config.edit(() => [{ path: ['mcpServers', 'a', 'disabledTools'], value: ['rm', 'mv'] }]);
    await run('import', {}, house);
    expect(Object.keys(await configured(house))).toEqual(Object.keys(both));
  });

  it('says which variables one client gives to the server of another', async () => {
    await using house = await openHouse({
      'claude-desktop': servers({ a: NPX }),
      cursor: servers({ b: { ...NPX, env: { TOK_KEY: 'fixture-2' } } }),
    });
    const planned = await plan('import', {}, house);
    expect(planned).toMatch(/import a \(claude-desktop\): new: runs npx .*; with TOK_KEY of cursor/);
    expect(planned).toContain('server b (cursor): the same as a, which gets TOK_KEY of it');
  });

  it('keeps a server beside one that is configured without its variables, or that is switched off', async () => {
    await using house = await openHouse({
      cursor: servers({ a: { ...NPX, env: { REGION: 'eu' } } }),
      cline: servers({ a: { ...NPX, disabled: true } }),
    });
    await mkdir(house.home, { recursive: true });
    await writeFile(join(house.home, 'thimble.jsonc'), servers({ a: NPX }));
    await run('import', { name: 'cursor' }, house);
    expect(await configured(house)).toEqual({ a: NPX, 'a-cursor': { ...NPX, env: { REGION: 'eu' } } });
  });

  it('takes no server out of a client that somebody takes out of the configuration in the meantime', async () => {
    await using house = await openHouse({ cursor: servers({ a: NPX }) });
    await mkdir(house.home, { recursive: true });
    await writeFile(join(house.home, 'thimble.jsonc'), servers({ a: NPX }));
    const { intake } = await planImport(await findNamed(openHouseClients(house), 'cursor'), house);
    await house.config.edit(() => [{ path: ['mcpServers', 'a'], value: undefined }]);
    await expect(carryOutIntake(house, intake)).rejects.toMatchObject({ code: 'FILE_REFUSED' });
  });

  it('gives nothing to a server that another client switched off', async () => {
    await using house = await openHouse({
      'claude-desktop': servers({ a: { ...NPX, env: { REGION: 'eu' } } }),
      cline: servers({ a: { ...NPX, disabled: true } }),
    });
    await run('import', {}, house);
    expect(await configured(house)).toEqual({
      a: { ...NPX, env: { REGION: 'eu' } },
      'a-cline': { ...NPX, enabled: false },
    });
  });
});

describe('a plan that writes a file of a client', () => {
  it('says which entries come and go with all they run, however long the line they stand in', async () => {
    const history = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, 'some history']));
    const text = JSON.stringify({ history, mcpServers: { a: EVIL } });
    await using house = await openHouse({ cursor: text });
    const planned = await plan('connect', { name: 'cursor', replace: true }, house);
    expect(planned).toMatch(/^takes out a: runs node -e "fetch/m);
    expect(planned).toMatch(/^puts in thimble: runs \S+ \/opt\/thimble\/dist\/main\.js stdio --config/m);
    expect(planned).toMatch(/^\+….*"thimble":/m);
    expect(planned).not.toContain('a long line');
  });
});

describe('what a plan says of names and values', () => {
  it('shows the values that are written into the file of a client', async () => {
    await using house = await openHouse({ cursor: servers({ a: NPX }) });
    const env = { NODE_OPTIONS: '-r /tmp/evil.js', LEVEL: 'debug' };
    const planned = await plan('edit', { name: 'cursor', server: 'a', env }, house);
    expect(planned).toContain('change a: NODE_OPTIONS="-r /tmp/evil.js", LEVEL=debug');
    expect(planned).toMatch(/^\+ +"NODE_OPTIONS": "-r \/tmp\/evil.js"/m);
  });

  it('quotes a name that could be taken for more', async () => {
    const sly = 'good (cursor): new: runs good; evil';
    await using house = await openHouse({ cursor: servers({ [sly]: EVIL }) });
    const planned = await plan('connect', { name: 'cursor', replace: true }, house);
    expect(planned).toContain(`import "${sly}" (cursor): new: runs node -e`);
    expect(planned).toContain(`takes out "${sly}": runs node -e`);
  });
});

describe('one file that cannot be changed', () => {
  const TWICE = '{"mcpServers":{},"mcpServers":{"a":{"command":"x"}}}';
  const ANCHOR = 'mcpServers:\n  - &x\n    name: a\n    command: y\nmore: *x\n';

  it('is left out among others with advice that helps', async () => {
    await using house = await openHouse({ cursor: TWICE, 'claude-desktop': servers({ b: NPX }) });
    const planned = await plan('connect', { name: 'all', replace: true }, house);
    expect(planned).toMatch(
      /cursor is left out: .*"mcpServers" twice in one place \(line 1\).*take out the one/,
    );
    expect(planned).not.toContain('import a');
    const { output } = await run('connect', { name: 'all', replace: true }, house);
    expect(output['clients']).toMatchObject([{ key: 'claude-desktop', taken: ['b'] }, { key: 'cursor' }]);
    expect(await readFile(fileOf(house, 'cursor'), 'utf8')).toBe(TWICE);
    await expect(plan('connect', { name: 'cursor' }, house)).rejects.toMatchObject({ code: 'FILE_REFUSED' });
    expect((await run('disconnect', { name: 'all' }, house)).succeeded).toBe(true);
  });

  it('may be one with anchors, of which the line is told', async () => {
    await using house = await openHouse({ continue: ANCHOR, 'claude-desktop': '{}' });
    const planned = await plan('connect', { name: 'all', replace: true }, house);
    expect(planned).toMatch(/continue is left out: .*anchors or aliases .*line \d/);
    expect(planned).toContain('puts in thimble');
  });
});

describe('other answers', () => {
  it('a place needs a person to be set, and nobody to be looked at', async () => {
    await using house = await openHouse({ cursor: '{}' });
    expect(await prepare('config', {}).plan(house)).toBeUndefined();
    const planned = await plan('config', { name: 'cursor', path: '~/.bashrc' }, house);
    expect(planned).toContain(join(house.machine.userHome, '.bashrc'));
    expect(planned).toContain(fileOf(house, 'cursor'));
  });

  it('a disconnect says where the copies lie, and whether the file itself is gone', async () => {
    await using house = await openHouse({ cursor: '{}' });
    await run('connect', { name: 'cursor' }, house);
    const { output, text } = await run('disconnect', { name: 'cursor' }, house);
    expect(output['clients']).toEqual([{ key: 'cursor', file: fileOf(house, 'cursor'), fileRemoved: false }]);
    expect(text).toContain(join(house.home, 'backups', 'clients'));
    expect(text).toContain('secrets too');
  });

  it('servers that Claude Code keeps for single projects are mentioned', async () => {
    const projects = { '/work/a': { mcpServers: { x: NPX, y: NPX } }, '/work/b': { mcpServers: {} } };
    await using house = await openHouse({ 'claude-code': JSON.stringify({ mcpServers: {}, projects }) });
    for (const args of [{}, { name: 'claude-code' }])
      expect((await run('list', args, house)).text).toContain('2 more for single projects');
  });

  it('a server is summed up by its script as well', async () => {
    await using house = await openHouse({
      cursor: servers({
        a: { command: '/usr/bin/node', args: ['--no-warnings', '/srv/notes/server.js', 'x'] },
        b: EVIL,
        c: { command: 'python3', args: ['-m', 'mcp_server_git'] },
      }),
    });
    const { text } = await run('list', { name: 'cursor' }, house);
    expect(text).toContain('node server.js');
    expect(text).toContain('node -e …');
    expect(text).toContain('python3 -m mcp_server_git');
  });
});

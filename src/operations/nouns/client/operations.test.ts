import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENTS, findClient } from '../../../clients/known/registry.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { House } from '../../house.ts';
import { runOperationContract } from '../../operation.contract.ts';
import { openTestHouse, type TestHouse } from '../../test-house.contract.ts';
import { CLIENT } from './operations.ts';

runOperationContract('client', CLIENT);

const FIXTURES = new URL('../../../../test/clients-fixtures/', import.meta.url);
const fixture = (key: string) => readFile(new URL(`${key}/config.txt`, FIXTURES), 'utf8');
const fileOf = (house: House, key: string) => findClient(key).files(house)[0] ?? '';

async function openHouse(clients: Readonly<Record<string, string>>): Promise<TestHouse> {
  const house = await openTestHouse();
  for (const [key, text] of Object.entries(clients)) await put(fileOf(house, key), text);
  return house;
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

function find(verb: string) {
  const found = CLIENT.find((operation) => operation.verb === verb);
  if (!found) throw new Error(`no verb ${verb}`);
  return found;
}

const run = (verb: string, args: JsonObject, house: House) => find(verb).prepare(args).run(house);
const plan = (verb: string, args: JsonObject, house: House) => find(verb).prepare(args).plan(house);
const servers = (entries: JsonObject) => JSON.stringify({ mcpServers: entries }, null, 2);
const configured = async (house: House) => (await house.config.read()).value['mcpServers'] as JsonObject;

const NPX = { command: 'npx', args: ['-y', 'some-server'] };

describe('importing', () => {
  it('takes in each server once, however many clients have it', async () => {
    await using house = await openHouse({
      cursor: servers({ files: NPX, web: { url: 'https://web.example/mcp/' } }),
      'claude-desktop': servers({ Files: { command: '/usr/bin/npx', args: ['some-server'] } }),
      windsurf: servers({ internet: { serverUrl: 'https://web.example/mcp' } }),
    });
    const { output, text } = await run('import', {}, house);
    expect(Object.keys(await configured(house))).toEqual(['Files', 'web']);
    expect(output['servers']).toContainEqual({
      client: 'cursor',
      server: 'files',
      result: 'known',
      as: 'Files',
    });
    expect(text).toContain('2 servers written');
    expect(text).toContain('internet (windsurf): configured already as web');
  });

  it('keeps two servers apart that differ in a variable, and names the second after its client', async () => {
    await using house = await openHouse({
      cursor: servers({ db: { ...NPX, env: { DB: 'one' } } }),
      'claude-desktop': servers({ db: { ...NPX, env: { DB: 'two' } } }),
    });
    await run('import', {}, house);
    expect(await configured(house)).toEqual({
      db: { ...NPX, env: { DB: 'two' } },
      'db-cursor': { ...NPX, env: { DB: 'one' } },
    });
  });

  it('gives one entry what either of two clients says', async () => {
    await using house = await openHouse({
      cursor: servers({ a: { ...NPX, env: { REGION: 'eu' } } }),
      'claude-desktop': servers({ a: NPX }),
    });
    await run('import', {}, house);
    expect(await configured(house)).toEqual({ a: { ...NPX, env: { REGION: 'eu' } } });
  });

  it('imports nothing the second time, though secrets are sealed by then', async () => {
    const entry = { ...NPX, env: { API_TOKEN: 'fixture-value-1' } };
    await using house = await openHouse({ cursor: servers({ a: entry }) });
    await run('import', { name: 'cursor' }, house);
    const before = await readFile((await house.config.read()).path, 'utf8');
    expect(before).not.toContain('fixture-value-1');
    expect(before).toMatch(/\$\{secret:a\.API_TOKEN\}/);
    const { output } = await run('import', { name: 'cursor' }, house);
    expect(output['servers']).toEqual([{ client: 'cursor', server: 'a', result: 'known', as: 'a' }]);
    expect(await readFile((await house.config.read()).path, 'utf8')).toBe(before);
  });

  it('leaves out Thimble, what only its client can start, and what the configuration does not take', async () => {
    const own = { command: 'node', args: ['/x/thimble/dist/main.js', 'stdio'] };
    const text = JSON.stringify({
      servers: {
        thimble: own,
        again: { command: 'thimble', args: ['run', 'memory'] },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what people write
        asks: { command: 'x', env: { KEY: '${input:key}' } },
        odd: { url: 'nothing at all' },
        good: NPX,
      },
    });
    await using house = await openHouse({ vscode: text });
    const { output } = await run('import', { name: 'vscode' }, house);
    expect(Object.keys(await configured(house))).toEqual(['good']);
    const skipped = (output['servers'] as JsonObject[]).filter(({ result }) => result === 'skipped');
    expect(skipped.map(({ server }) => server)).toEqual(['thimble', 'again', 'asks', 'odd']);
  });

  it('writes nothing when it shall only show', async () => {
    await using house = await openHouse({
      cursor: servers({ a: { ...NPX, env: { KEY: 'fixture-value-2' } } }),
    });
    const { text } = await run('import', { name: 'cursor', dryRun: true }, house);
    expect(text).toContain('1 server would be written');
    expect(text).not.toContain('fixture-value-2');
    expect((await house.config.read()).text).toBeUndefined();
    expect(await (await house.secrets()).names()).toEqual([]);
  });

  it('takes over that a server is switched off', async () => {
    await using house = await openHouse({ cline: servers({ a: { ...NPX, disabled: true } }) });
    await run('import', { name: 'cline' }, house);
    expect(await configured(house)).toEqual({ a: { ...NPX, enabled: false } });
  });
});

describe('connecting', () => {
  it('says what it will write, writes it, and disconnects to the very bytes: every client', async () => {
    const texts = Object.fromEntries(
      await Promise.all(CLIENTS.map(async ({ key }) => [key, await fixture(key)] as const)),
    ) as Record<string, string>;
    delete texts['claude-code-project'];
    await using house = await openHouse(texts);
    const wish = { name: 'all', replace: true };
    const planned = await plan('connect', wish, house);
    expect(planned?.summary).toContain('Claude Desktop, Claude Code, Cursor');
    for (const key of Object.keys(texts))
      expect(planned?.details.join('\n')).toContain(`write ${fileOf(house, key)}`);
    const { output } = await run('connect', wish, house);
    expect(output['clients']).toHaveLength(15);
    const { output: seen } = await run('list', {}, house);
    for (const client of seen['clients'] as JsonObject[])
      expect(client, String(client['key'])).toMatchObject({
        connected: client['key'] !== 'claude-code-project',
      });
    expect(await plan('connect', wish, house)).toBeUndefined();
    await run('disconnect', { name: 'all' }, house);
    for (const [key, text] of Object.entries(texts))
      expect(await readFile(fileOf(house, key), 'utf8'), key).toBe(text);
    expect(Object.keys(await configured(house)).length).toBeGreaterThan(20);
  });

  it('shows no secret of any client in a plan, an answer, the configuration or the database', async () => {
    const texts = Object.fromEntries(
      await Promise.all(CLIENTS.map(async ({ key }) => [key, await fixture(key)] as const)),
    );
    delete texts['claude-code-project'];
    await using house = await openHouse(texts);
    const said: string[] = [];
    const say = (what: unknown) => said.push(JSON.stringify(what));
    say(await plan('connect', { name: 'all', replace: true }, house));
    say(await run('import', { name: 'all', dryRun: true }, house));
    say(await run('connect', { name: 'all', replace: true }, house));
    say(await run('list', {}, house));
    for (const key of Object.keys(texts)) {
      say(await run('list', { name: key }, house));
      say(await plan('disconnect', { name: key }, house));
      say(await plan('disconnect', { name: key, undo: true }, house));
    }
    say((await house.config.read()).text);
    for (const name of await readdir(house.home, { withFileTypes: true }))
      if (name.isFile()) said.push(await readFile(join(house.home, name.name), 'latin1'));
    const seen = said.flatMap(
      (text) => text.match(/.{0,60}(fixture-[a-z0-9-]+|Zml4dHVyZTpqaXJh).{0,20}/g) ?? [],
    );
    expect(seen).toEqual([]);
  });

  it('starts Thimble by its whole path with the configuration in use, which is made if need be', async () => {
    await using house = await openHouse({ cursor: '{}' });
    await run('connect', { name: 'cursor', mode: 'search' }, house);
    const { path, text } = await house.config.read();
    expect(text).toBe('{}\n');
    expect(JSON.parse(await readFile(fileOf(house, 'cursor'), 'utf8'))).toEqual({
      mcpServers: {
        thimble: {
          command: process.execPath,
          args: ['/opt/thimble/dist/main.js', 'stdio', '--mode', 'search', '--config', path],
        },
      },
    });
    await run('disconnect', { name: 'cursor' }, house);
    expect(await readFile(fileOf(house, 'cursor'), 'utf8')).toBe('{}');
  });

  it('leaves what cannot be imported where it is', async () => {
    await using house = await openHouse({ vscode: await fixture('vscode') });
    const { output, text } = await run('connect', { name: 'vscode', replace: true }, house);
    expect(output['clients']).toMatchObject([{ taken: ['github', 'memory'] }]);
    expect(text).toMatch(
      /perplexity \(vscode\): left where it is: it needs \$\{input:perplexity-key\}, which only its client can fill in/,
    );
    const { output: seen } = await run('list', { name: 'vscode' }, house);
    expect(seen['clients']).toMatchObject([{ servers: [{ name: 'perplexity' }, { name: 'thimble' }] }]);
  });

  it('goes on with the others when one file cannot be read, and says so', async () => {
    await using house = await openHouse({ cursor: '{ "mcpServers": ', 'claude-desktop': '{}' });
    const planned = await plan('connect', { name: 'all' }, house);
    expect(planned?.details.join('\n')).toMatch(/cursor is left out: .*line 1/);
    const { output, text, succeeded } = await run('connect', { name: 'all' }, house);
    expect(output['clients']).toEqual([
      { key: 'claude-desktop', file: fileOf(house, 'claude-desktop'), taken: [] },
      expect.objectContaining({ key: 'cursor', problem: expect.stringContaining('line 1') }),
    ]);
    expect(text).toMatch(/cursor was left out: .*line 1/);
    expect(succeeded).toBe(false);
    expect(await readFile(fileOf(house, 'cursor'), 'utf8')).toBe('{ "mcpServers": ');
    await expect(plan('connect', { name: 'cursor' }, house)).rejects.toMatchObject({ code: 'FILE_REFUSED' });
  });

  it('refuses to point a file at itself', async () => {
    await using house = await openHouse({});
    const own = join(house.home, 'thimble.jsonc');
    await put(own, servers({ a: NPX }));
    await run('config', { name: 'cursor', path: own }, house);
    await expect(plan('connect', { name: 'cursor' }, house)).rejects.toMatchObject({
      code: 'FILE_REFUSED',
      message: expect.stringContaining('is the configuration that Thimble itself reads'),
    });
  });

  it('knows no client, mode or profile that is not there, and says what is near', async () => {
    await using house = await openHouse({ cursor: '{}' });
    await expect(plan('connect', { name: 'curser' }, house)).rejects.toThrow('did you mean "cursor"?');
    await expect(plan('connect', { name: 'cursor', mode: 'serch' }, house)).rejects.toThrow('"search"');
    await expect(plan('connect', { name: 'cursor', profile: 'work' }, house)).rejects.toThrow('no profile');
    await expect(plan('disconnect', { name: 'cursor' }, house)).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
    });
    await expect(plan('disconnect', { name: 'all' }, house)).rejects.toMatchObject({ code: 'NAME_UNKNOWN' });
  });
});

describe('editing', () => {
  it('switches a server of a client off and on, and says it before', async () => {
    await using house = await openHouse({ cline: await fixture('cline') });
    const wish = { name: 'cline', server: 'search', enabled: false };
    expect((await plan('edit', wish, house))?.diffs?.join('\n')).toContain('+      "disabled": true');
    await run('edit', wish, house);
    expect(await plan('edit', wish, house)).toBeUndefined();
    const after = JSON.parse(await readFile(fileOf(house, 'cline'), 'utf8'));
    expect(after.mcpServers.search).toMatchObject({
      disabled: true,
      headers: { 'x-api-key': 'fixture-search-0005' },
    });
    await run('disconnect', { name: 'cline', undo: true }, house);
    expect(await readFile(fileOf(house, 'cline'), 'utf8')).toBe(await fixture('cline'));
  });

  it('puts single servers and profiles of ours in, and takes them out by our name', async () => {
    await using house = await openHouse({ cursor: servers({ a: NPX }) });
    await put(join(house.home, 'thimble.jsonc'), servers({ notes: { ...NPX, tags: ['work'] } }));
    await run('edit', { name: 'cursor', add: ['notes'], profile: 'work' }, house);
    const after = JSON.parse(await readFile(fileOf(house, 'cursor'), 'utf8')).mcpServers;
    expect(Object.keys(after)).toEqual(['a', 'thimble-notes', 'thimble-profile-work']);
    expect(after['thimble-notes'].args).toEqual(expect.arrayContaining(['run', 'notes', '--config']));
    await run('edit', { name: 'cursor', remove: ['notes', 'work', 'a'] }, house);
    expect(JSON.parse(await readFile(fileOf(house, 'cursor'), 'utf8')).mcpServers).toEqual({});
  });

  it('sets and removes variables and headers, and refuses secrets that would be readable', async () => {
    await using house = await openHouse({ codex: await fixture('codex') });
    await run('edit', { name: 'codex', server: 'docs', env: { LOG: '', LEVEL: 'debug' } }, house);
    const text = await readFile(fileOf(house, 'codex'), 'utf8');
    expect(text).toContain('LEVEL = "debug"');
    expect(text).not.toContain('LOG =');
    const secret = { name: 'codex', server: 'docs', env: { API_TOKEN: 'fixture-value-3' } };
    const refused = expect(plan('edit', secret, house)).rejects;
    await refused.toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.not.stringContaining('fixture-value-3'),
    });
    await expect(plan('edit', { name: 'codex', server: 'dosc', enabled: true }, house)).rejects.toThrow(
      '"docs"',
    );
    await expect(plan('edit', { name: 'codex' }, house)).rejects.toThrow('nothing to change');
    await expect(plan('edit', { name: 'codex', enabled: true }, house)).rejects.toThrow('which server');
  });
});

describe('places', () => {
  it('are remembered where a person set them, and forgotten again', async () => {
    await using house = await openHouse({ cursor: '{}' });
    const elsewhere = join(house.machine.userHome, 'windows', 'mcp.json');
    await put(elsewhere, servers({ a: NPX }));
    await run('config', { name: 'cursor', path: '~/windows/mcp.json' }, house);
    expect((await run('list', { name: 'cursor' }, house)).text).toContain(`File: ${elsewhere}`);
    await run('connect', { name: 'cursor' }, house);
    expect(await readFile(fileOf(house, 'cursor'), 'utf8')).toBe('{}');
    expect(await readFile(elsewhere, 'utf8')).toContain('"thimble"');
    const { text } = await run('config', { name: 'cursor', path: 'default' }, house);
    expect(text).toBe(`cursor: ${fileOf(house, 'cursor')}`);
  });

  it('belong to one client, and are files', async () => {
    await using house = await openHouse({});
    await mkdir(house.machine.userHome, { recursive: true });
    await expect(run('config', { path: '/x' }, house)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    await expect(run('config', { name: 'cursor', path: '~/.' }, house)).rejects.toMatchObject({
      code: 'FILE_REFUSED',
    });
  });
});

describe('listing', () => {
  it('shows what is there in one table and says what to do next', async () => {
    await using house = await openHouse({ cursor: servers({ a: NPX }), codex: 'not = = toml' });
    const { text } = await run('list', {}, house);
    expect(text).toMatch(/^CLIENT +STATE +SERVERS +FILE$/m);
    expect(text).toMatch(/^cursor +not connected +1 server +\S+mcp\.json$/m);
    expect(text).toMatch(/^codex +unreadable/m);
    expect(text).toContain('is not valid TOML (line 1');
    expect(text).toContain('Not found here: claude-desktop, ');
    expect(text).toContain('Connect with: thimble client connect cursor --replace');
  });

  it('says where to look when nothing is found', async () => {
    await using house = await openHouse({});
    expect((await run('list', {}, house)).text).toContain('thimble client config <client> --path <file>');
    await expect(run('import', {}, house)).rejects.toMatchObject({ code: 'NAME_UNKNOWN' });
  });
});

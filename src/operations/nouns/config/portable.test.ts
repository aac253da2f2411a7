import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { toDigest, type UpstreamId } from '../../../model/ids.ts';
import { type JsonObject, toCanonicalJson } from '../../../model/json.ts';
import type { Manifest } from '../../../model/manifest.ts';
import type { TestHouse } from '../../test-house.contract.ts';
import { openConfigured, prepare, readConfigText } from './test-parts.contract.ts';

const TEXT = `{
  "http": { "port": 7500 },
  "builtin": { "memory": { "tags": ["work"] }, "storage": { "secretAccessKey": "godwit-66" } },
  "mcpServers": {
    "github": { "command": "gh", "args": ["--token", "heron-7"], "env": { "GH_TOKEN": "wren-5555", "HOST": "\${env:GH_HOST}" }, "tags": ["work", "private"] },
    "other": { "url": "https://u:plover@a.example/mcp" }
  }
}
`;
const SECRETS = /godwit|heron|wren|plover/;

function toManifest(tools: readonly JsonObject[]): Manifest {
  const serverInfo = { name: 'x', version: '1' };
  const hello = {
    era: 'legacy',
    protocolVersion: '2025-11-25',
    serverInfo,
    capabilities: {},
    instructions: undefined,
  } as const;
  return { hello, lists: { tool: tools, resource: [], template: [], prompt: [] } };
}

async function know(house: TestHouse, options: JsonObject, tools: readonly JsonObject[]): Promise<void> {
  const key = toDigest(toCanonicalJson({ kind: 'stdio', options }), 32);
  await (await house.store()).manifests.save(key, 'github' as UpstreamId, toManifest(tools));
}

async function move(from: TestHouse, to: TestHouse, args: JsonObject = {}): Promise<string> {
  const { output } = await prepare('export', { ...args, path: 'moved.json' }).run(from);
  await writeFile(join(to.cwd, 'moved.json'), await readFile(String(output['path'])));
  return 'moved.json';
}

describe('exporting', () => {
  it('gives the whole configuration without a secret, and says what it needs', async () => {
    await using house = await openConfigured(TEXT);
    const { output, text } = await prepare('export').run(house);
    expect(text).not.toMatch(SECRETS);
    expect(output['document']).toMatchObject({
      format: 'thimble-config',
      version: 1,
      settings: { http: { port: 7500 } },
      servers: {
        github: {
          env: { GH_TOKEN: `\${secret:github.GH_TOKEN}`, HOST: `\${env:GH_HOST}` },
          tags: ['work', 'private'],
        },
      },
    });
    expect((output['needs'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'env:GH_HOST',
      'secret:github.GH_TOKEN',
      'secret:github.token',
      'secret:other.url',
      'secret:storage.secretAccessKey',
    ]);
    expect(await readConfigText(house)).toBe(TEXT);
    expect(await (await house.secrets()).names()).toEqual([]);
  });

  it('gives one profile with its own servers and its own tag only, the same every time', async () => {
    await using house = await openConfigured(TEXT);
    const { output, text } = await prepare('export', { profile: 'work' }).run(house);
    expect(output['document']).toMatchObject({
      format: 'thimble-profile',
      profile: 'work',
      builtin: ['memory'],
    });
    expect(output['servers']).toEqual(['github']);
    expect(text).not.toContain('private');
    expect((await prepare('export', { profile: 'work' }).run(house)).text).toBe(text);
    await expect(prepare('export', { profile: 'wrok' }).run(house)).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
      message: expect.stringContaining('did you mean "work"'),
    });
  });

  it('writes a private file after it was agreed to, and over nothing but an export', async () => {
    await using house = await openConfigured(TEXT);
    const prepared = prepare('export', { path: 'x.json' });
    expect((await prepared.plan(house))?.details.join('\n')).toContain(join(house.cwd, 'x.json'));
    await prepared.run(house);
    await prepared.run(house);
    expect((await stat(join(house.cwd, 'x.json'))).mode & 0o777).toBe(0o600);
    await writeFile(join(house.cwd, 'notes.json'), '{ "mine": 1 }');
    for (const path of ['notes.json', 'no/such/folder.json', '.'])
      await expect(prepare('export', { path }).plan(house)).rejects.toMatchObject({ code: 'FILE_REFUSED' });
    expect(await readFile(join(house.cwd, 'notes.json'), 'utf8')).toBe('{ "mine": 1 }');
  });
});

describe('importing', () => {
  it('takes a profile in on another machine, and says what is missing and how to give it', async () => {
    await using from = await openConfigured(TEXT);
    await using to = await openConfigured('{\n  // Theirs.\n}\n');
    const path = await move(from, to, { profile: 'work' });
    const prepared = prepare('import', { path });
    expect((await prepared.plan(to))?.details).toContain('github: added');
    const { output, text } = await prepared.run(to);
    expect((await to.config.read()).value).toEqual({
      builtin: { memory: { tags: ['work'] } },
      mcpServers: {
        github: {
          command: 'gh',
          args: ['--token', `\${secret:github.token}`],
          env: { GH_TOKEN: `\${secret:github.GH_TOKEN}`, HOST: `\${env:GH_HOST}` },
          tags: ['work'],
        },
      },
    });
    expect(text).toContain('thimble config set mcpServers.github.env.GH_TOKEN <value>');
    expect(text).toContain('the variable GH_HOST');
    expect(await readFile(String(output['backup']), 'utf8')).toBe('{\n  // Theirs.\n}\n');
    expect(await prepare('import', { path }).plan(to)).toBeUndefined();
    await prepare('set', { key: 'mcpServers.github.env.GH_TOKEN', value: 'wren-5555' }).run(to);
    expect((await prepare('import', { path }).run(to)).text).not.toContain('env.GH_TOKEN <value>');
  });

  it('takes a profile in under another name, or one profile of a whole configuration', async () => {
    await using from = await openConfigured(TEXT);
    await using to = await openConfigured('{}');
    await prepare('import', { path: await move(from, to, { profile: 'work' }), profile: 'job' }).run(to);
    expect((await to.config.read()).value).toMatchObject({
      mcpServers: { github: { tags: ['job'] } },
      builtin: { memory: { tags: ['job'] } },
    });
    await using third = await openConfigured('{}');
    await prepare('import', { path: await move(from, third), profile: 'private' }).run(third);
    expect(Object.keys((await third.config.read()).value)).toEqual(['mcpServers']);
    expect((await third.config.read()).value['mcpServers']).not.toHaveProperty('other');
  });

  it('takes a whole configuration in, keeps what is here, and overwrites only when told', async () => {
    await using from = await openConfigured(TEXT);
    await using to = await openConfigured(
      '{ "http": { "port": 1 }, "mcpServers": { "github": { "command": "mine", "tags": ["t"] } } }',
    );
    const path = await move(from, to);
    const { text } = await prepare('import', { path }).run(to);
    expect(text).toContain('github: left as it is here');
    expect(text).toContain('http: left as it is here; force overwrites it');
    expect((await to.config.read()).value).toMatchObject({
      http: { port: 1 },
      mcpServers: { github: { command: 'mine' }, other: {} },
    });
    await prepare('import', { path, force: true }).run(to);
    expect((await to.config.read()).value).toMatchObject({
      http: { port: 7500 },
      mcpServers: { github: { command: 'gh', tags: ['t', 'work', 'private'] } },
    });
  });

  it('shows every server and section in full, and asks about values that are not shown', async () => {
    await using house = await openConfigured(
      '{ "mcpServers": { "a": { "command": "a", "env": { "X": "1" } } } }',
    );
    const path = join(house.cwd, 'in.json');
    const write = (file: object) =>
      writeFile(path, JSON.stringify({ format: 'thimble-config', version: 1, ...file }));
    await write({ servers: { a: { command: 'a', env: { X: '2' } } } });
    const hidden = await prepare('import', { path, force: true }).plan(house);
    expect(hidden?.details).toContain('a runs a; variable: X=2');
    const tags = Array.from({ length: 200 }, (_, index) => `t${index}`);
    const settings = { builtin: { memory: { tags }, storage: { endpoint: 'https://far.example' } } };
    await write({ settings, servers: { b: { command: 'b' } } });
    const { details = [] } = (await prepare('import', { path }).plan(house)) ?? {};
    expect(details).toContain('b runs b');
    expect(details).toContain(`sets builtin to ${JSON.stringify(settings.builtin)}`);
    const set = await prepare('set', { key: 'builtin', value: JSON.stringify(settings.builtin) }).plan(house);
    expect(set?.details).toContain(`sets builtin to ${JSON.stringify(settings.builtin)}`);
  });

  it('shows and writes nothing in a dry run', async () => {
    await using from = await openConfigured(TEXT);
    await using to = await openConfigured('{}');
    const path = await move(from, to);
    const prepared = prepare('import', { path, dryRun: true, verify: true });
    expect(await prepared.plan(to)).toBeUndefined();
    expect((await prepared.run(to)).text).toContain('+    "port": 7500');
    expect(await readConfigText(to)).toBe('{}');
  });

  it('refuses a file with faults and names each, without what stands in it', async () => {
    await using house = await openConfigured('{}');
    const good = { format: 'thimble-profile', version: 1, profile: 'x', servers: {} };
    const files: readonly (readonly [JsonObject, string])[] = [
      [
        { ...good, servers: { a: { comand: 'wren' } } },
        'mcpServers.a.comand: unknown key (did you mean "command"?)',
      ],
      [{ ...good, servers: { a: 5 } }, 'servers.a: expected an object'],
      [{ ...good, version: 9 }, 'newer Thimble'],
      [{ ...good, wings: 1 }, 'wings'],
      [{ ...good, profile: '../x' }, 'profile: expected a letter or digit'],
      [{ format: 'thimble-profile', version: 1, servers: {} }, 'profile: is required'],
      [{ ...good, format: 'thimble-config', settings: { http: { port: -1 } } }, 'http.port'],
      [{ mcpServers: {} }, 'thimble config migrate'],
    ];
    for (const [file, words] of files) {
      await writeFile(join(house.cwd, 'f.json'), JSON.stringify(file));
      const refused = prepare('import', { path: 'f.json' }).plan(house);
      await expect(refused).rejects.toMatchObject({
        code: 'FILE_REFUSED',
        message: expect.stringContaining(words),
      });
    }
    await expect(prepare('import', { path: 'gone.json' }).run(house)).rejects.toMatchObject({
      code: 'FILE_REFUSED',
    });
    expect(await readConfigText(house)).toBe('{}');
  });

  it('seals secrets that somebody wrote into the file by hand', async () => {
    await using house = await openConfigured('{}');
    const file = {
      format: 'thimble-config',
      version: 1,
      servers: { a: { command: 'a', env: { API_KEY: 'wren-5555' } } },
    };
    await writeFile(join(house.cwd, 'f.json'), JSON.stringify(file));
    await prepare('import', { path: 'f.json' }).run(house);
    expect(await readConfigText(house)).not.toMatch(SECRETS);
    expect((await (await house.secrets()).all()).get('a.API_KEY')).toBe('wren-5555');
  });
});

describe('the lock', () => {
  const CONFIG = '{ "mcpServers": { "github": { "command": "gh", "tags": ["work"] } } }';
  const tools = [{ name: 'one', description: 'first' }, { name: 'two' }];

  it('says whether a server offers the same here', async () => {
    await using from = await openConfigured(CONFIG);
    await know(from, { command: 'gh' }, tools);
    const { output } = await prepare('export', { profile: 'work' }).run(from);
    expect(output['locked']).toBe(1);
    await using to = await openConfigured('{}');
    const path = await move(from, to, { profile: 'work' });
    expect((await prepare('import', { path }).run(to)).text).toContain('github: it was not started here yet');
    await know(to, { command: 'gh' }, tools);
    expect((await prepare('import', { path }).run(to)).text).toContain('github offers the same here');
    await know(to, { command: 'gh' }, [{ name: 'one', description: 'other' }, { name: 'three' }]);
    expect((await prepare('import', { path }).run(to)).text).toContain(
      'github offers something else here: changed one, new three, gone two',
    );
  });

  it('starts servers once to compare them, when that was agreed to', async () => {
    const script = fileURLToPath(new URL('../../../../test/fixtures/echo-server.mjs', import.meta.url));
    await using to = await openConfigured('{}');
    const entry = { command: process.execPath, args: [script] };
    const lock = { echo: { nothing: 'like it' } };
    const file = { format: 'thimble-profile', version: 1, profile: 'p', servers: { echo: entry }, lock };
    await writeFile(join(to.cwd, 'f.json'), JSON.stringify(file));
    const prepared = prepare('import', { path: 'f.json', verify: true });
    expect((await prepared.plan(to))?.details).toContain('start echo once to compare what it offers');
    const { output } = await prepared.run(to);
    expect(to.told).toEqual(['starting echo once to compare what it offers']);
    expect(output['lock']).toMatchObject([{ server: 'echo', state: 'differs' }]);
    expect(JSON.stringify(output['lock'])).toContain('gone nothing');
  });
});

import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFolder } from '../../../../test/support/read-folder.ts';
import { openConfigFile } from '../../../config/config-file.ts';
import { CONFIG_PARTS } from '../../../gateway.ts';
import type { JsonObject } from '../../../model/json.ts';
import { openShares } from '../../../session/shares.ts';
import type { TestHouse } from '../../test-house.contract.ts';
import { openConfigured, prepare, readConfigText } from './test-parts.contract.ts';

const SERVERS = {
  github: {
    name: 'github',
    command: 'npx',
    args: ['-y', 'gh-mcp'],
    env: { GITHUB_TOKEN: 'kestrel-99' },
    profile_tags: ['work'],
  },
  docs: {
    name: 'docs',
    url: 'https://docs.example/sse',
    type: 'sse',
    headers: { 'X-Api-Key': 'egret-77' },
    profile_tags: [],
  },
  files: { type: 'stdio', command: 'files', args: [], env: null, url: null },
  custom: { name: 'custom', config: { command: 'c', args: ['x'] } },
  broken: { name: 'broken' },
};

async function writeMcpm(
  house: TestHouse,
  servers: JsonObject = SERVERS,
  profiles?: JsonObject,
): Promise<string> {
  const folder = join(house.machine.userHome, '.config', 'mcpm');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'servers.json'), JSON.stringify(servers));
  await writeFile(
    join(folder, 'profiles_metadata.json'),
    JSON.stringify({ work: { name: 'work', description: '' } }),
  );
  if (profiles) await writeFile(join(folder, 'profiles.json'), JSON.stringify(profiles));
  return folder;
}

describe('moving in from MCPM', () => {
  it('takes servers with their profiles, seals secrets, and leaves out what cannot be used', async () => {
    await using house = await openConfigured(
      '{\n  // Mine.\n  "mcpServers": { "own": { "command": "own" } }\n}\n',
    );
    await writeMcpm(house, SERVERS, { all: { servers: ['files', 'github'], description: '', port: 1 } });
    const prepared = prepare('migrate');
    const plan = await prepared.plan(house);
    expect(plan?.details.join('\n')).toContain('github: added');
    expect(plan?.details.join('\n')).not.toMatch(/kestrel|egret/);
    const { output, text } = await prepared.run(house);
    expect(output).toMatchObject({
      sources: [{ kind: 'MCPM' }],
      servers: [
        { name: 'github', outcome: 'added' },
        { name: 'docs', outcome: 'added' },
        { name: 'files', outcome: 'added' },
        { name: 'custom', outcome: 'added' },
        { name: 'broken', outcome: 'skipped' },
      ],
      missing: [],
    });
    expect((await house.config.read()).value['mcpServers']).toEqual({
      own: { command: 'own' },
      github: {
        command: 'npx',
        args: ['-y', 'gh-mcp'],
        env: { GITHUB_TOKEN: `\${secret:github.GITHUB_TOKEN}` },
        tags: ['work', 'all'],
      },
      docs: {
        type: 'http',
        url: 'https://docs.example/sse',
        headers: { 'X-Api-Key': `\${secret:docs.X_Api_Key}` },
      },
      files: { command: 'files', tags: ['all'] },
      custom: { command: 'c', args: ['x'] },
    });
    expect(await readConfigText(house)).toContain('// Mine.');
    expect(text).toContain('broken: left out (mcpServers.broken: does not say how to reach the server');
    expect(await readFolder(house.home)).not.toMatch(/kestrel-99|egret-77/);
  });

  it('keeps a private copy of the file as it was', async () => {
    const before = '{ "mcpServers": {} }';
    await using house = await openConfigured(before);
    await writeMcpm(house);
    const { output } = await prepare('migrate').run(house);
    const backup = String(output['backup']);
    expect(backup.startsWith(join(house.home, 'backups'))).toBe(true);
    expect(await readFile(backup, 'utf8')).toBe(before);
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
  });

  it('does nothing the second time', async () => {
    await using house = await openConfigured();
    await writeMcpm(house);
    await prepare('migrate').run(house);
    const text = await readConfigText(house);
    const names = await (await house.secrets()).names();
    expect(await prepare('migrate').plan(house)).toBeUndefined();
    const again = await prepare('migrate').run(house);
    expect(again.output['backup']).toBeUndefined();
    expect(again.text).toContain('Nothing is new.');
    expect(again.text).toContain('github: is here already');
    expect(await readConfigText(house)).toBe(text);
    expect(await (await house.secrets()).names()).toEqual(names);
  });

  it('never overwrites a server of another definition', async () => {
    await using house = await openConfigured('{ "mcpServers": { "github": { "command": "mine" } } }');
    await writeMcpm(house);
    const { text } = await prepare('migrate').run(house);
    expect(text).toContain('github: left as it is here (yours is defined differently)');
    expect((await house.config.read()).value).toMatchObject({ mcpServers: { github: { command: 'mine' } } });
    expect(await (await house.secrets()).names()).not.toContain('github.GITHUB_TOKEN');
  });

  it('shows and writes nothing in a dry run', async () => {
    await using house = await openConfigured();
    await writeMcpm(house);
    const prepared = prepare('migrate', { dryRun: true });
    expect(await prepared.plan(house)).toBeUndefined();
    const { text, output } = await prepared.run(house);
    expect(text).toContain('This would be taken from MCPM');
    expect(text).toContain('+      "command": "npx"');
    expect(text).not.toMatch(/kestrel|egret/);
    expect(output['missing']).toEqual([]);
    await expect(readConfigText(house)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await (await house.secrets()).names()).toEqual([]);
  });
});

describe('moving in from a file', () => {
  it('takes over a .mcp.json, and names the variables it needs', async () => {
    await using house = await openConfigured('{}');
    await writeFile(
      join(house.cwd, 'other.json'),
      `{ "mcpServers": { "a": { "command": "a", "env": { "X": "\${HERE}", "Y": "\${env:GONE}", "Z": "\${F:-x}" } } } }`,
    );
    const { text } = await prepare('migrate', { path: 'other.json' }).run({ ...house, env: { HERE: '1' } });
    expect(text).toContain('a: added');
    expect(text).toContain('the variable GONE, for mcpServers.a.env.Y');
    expect(text).not.toContain('HERE');
  });

  it('takes a .mcp.json in the working directory without being told, into the file of the home', async () => {
    await using house = await openConfigured();
    const file = join(house.cwd, '.mcp.json');
    const text = '{ "mcpServers": { "a": { "command": "a" } } }';
    await writeFile(file, text);
    const { output } = await prepare('migrate').run(house);
    expect(output).toMatchObject({
      sources: [{ path: file, kind: 'mcpServers' }],
      file: join(house.home, 'thimble.jsonc'),
      servers: [{ name: 'a', outcome: 'added' }],
    });
    expect(await readFile(file, 'utf8')).toBe(text);
    expect((await house.config.read()).value).toEqual({ mcpServers: { a: { command: 'a' } } });
  });

  it('says so where the only source is the configuration in use', async () => {
    await using opened = await openConfigured();
    const { cwd, home } = opened;
    await writeFile(join(cwd, '.mcp.json'), '{ "mcpServers": { "a": { "command": "a" } } }');
    const config = openConfigFile({ cwd, home, explicit: '.mcp.json' }, CONFIG_PARTS);
    await expect(prepare('migrate').run({ ...opened, config })).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
      message: expect.stringMatching(/\.mcp\.json is the configuration in use.*leave --config out/),
    });
  });

  it('leaves out names that hide something, and takes others as the configuration does', async () => {
    await using house = await openConfigured('{}');
    const names = ['bad name!', 'a\u202eb', 'c\nd: added', 'e\u0007'];
    const mcpServers = Object.fromEntries(names.map((name, index) => [name, { command: `run-${index}` }]));
    await writeFile(join(house.cwd, 'other.json'), JSON.stringify({ mcpServers }));
    const prepared = prepare('migrate', { path: 'other.json' });
    const plan = await prepared.plan(house);
    expect(plan?.details).toContain('"bad name!": added');
    const { output, text } = await prepared.run(house);
    expect(output['servers']).toMatchObject([
      { name: 'bad name!', outcome: 'added' },
      ...names.slice(1).map((name) => ({
        name,
        outcome: 'skipped',
        because: 'its name has control or invisible characters',
      })),
    ]);
    expect(text).toContain('"c\\nd: added": left out');
    expect(Object.keys((await house.config.read()).value['mcpServers'] as JsonObject)).toEqual(['bad name!']);
  });

  it('shows in full what each server runs or dials before anybody agrees', async () => {
    await using house = await openConfigured('{ "mcpServers": { "here": { "command": "here" } } }');
    const args = Array.from({ length: 300 }, (_, index) => `word-${index}`);
    const mcpServers = {
      long: { command: 'sh', args, env: { NODE_OPTIONS: '--require=x.js', API_KEY: 'kestrel-99' } },
      far: { url: 'https://far.example/mcp' },
      here: { command: 'here', tags: ['work'] },
    };
    await writeFile(join(house.cwd, 'other.json'), JSON.stringify({ mcpServers }));
    const plan = await prepare('migrate', { path: 'other.json' }).plan(house);
    const details = plan?.details.join('\n') ?? '';
    expect(details).toContain(`long runs sh ${args.join(' ')}; variable: NODE_OPTIONS=--require=x.js`);
    expect(details).toContain('far dials https://far.example/mcp');
    expect(details).not.toContain('here runs');
    expect(details).toContain('a gateway that runs may start these servers at once');
    expect(details).toContain(`a copy of the file as it is now goes to ${join(house.home, 'backups')}`);
    expect(details).not.toContain('kestrel');
    expect(await prepare('migrate', { path: 'other.json' }).plan(house)).toEqual(plan);
  });

  it('says who is given more where a profile of theirs is shared', async () => {
    await using house = await openConfigured('{ "mcpServers": {} }');
    const now = house.now().getTime();
    const share = { name: 'team', kind: 'profile', target: 'work', expiresAt: now + 1_000 } as const;
    await openShares(await house.store(), () => now).start(share);
    await writeFile(
      join(house.cwd, 'other.json'),
      '{ "mcpServers": { "a": { "command": "a", "tags": ["work"] } } }',
    );
    const plan = await prepare('migrate', { path: 'other.json' }).plan(house);
    expect(plan?.details.join('\n')).toContain(
      'every tool of a becomes reachable to whoever has the token of',
    );
  });

  it('leaves out what would start Thimble in Thimble', async () => {
    await using house = await openConfigured('{}');
    await writeFile(
      join(house.cwd, '.mcp.json'),
      '{ "mcpServers": { "thimble": { "command": "npx", "args": ["-y", "thimble", "stdio"] }, "a": { "command": "a" } } }',
    );
    const inHome = join(house.home, 'thimble.jsonc');
    await writeFile(join(house.cwd, 'thimble.jsonc'), '{}');
    const { text } = await prepare('migrate').run(house);
    expect(text).toContain('thimble: left out (it starts Thimble itself)');
    expect(text).toContain('a: added');
    expect(await readFile(inHome, 'utf8')).toBe('{}');
    expect(await readFile(join(house.cwd, 'thimble.jsonc'), 'utf8')).toContain('"a"');
  });

  it('knows a server by what it is, under whatever name', async () => {
    await using house = await openConfigured(
      '{ "mcpServers": { "mine": { "command": "a", "args": [], "tags": ["x"] } } }',
    );
    await writeFile(
      join(house.cwd, 'other.json'),
      '{ "mcpServers": { "theirs": { "type": "stdio", "command": "a", "tags": ["y"] } } }',
    );
    const { text } = await prepare('migrate', { path: 'other.json' }).run(house);
    expect(text).toContain('mine: is here already; put into its profiles (it is here as mine)');
    expect((await house.config.read()).value).toEqual({
      mcpServers: { mine: { command: 'a', args: [], tags: ['x', 'y'] } },
    });
  });

  it('takes settings of another Thimble file where none are set, and names what it does not know', async () => {
    await using house = await openConfigured('{ "names": { "maxLength": 40 } }');
    const old = join(house.cwd, 'old');
    await mkdir(old);
    await writeFile(
      join(old, 'thimble.json'),
      '{ "http": { "port": 1234 }, "names": { "maxLength": 30 }, "wings": 2, "builtin": { "storage": { "secretAccessKey": "godwit-66" } }, "mcpServers": {} }',
    );
    const { text } = await prepare('migrate', { path: 'old/thimble.json' }).run(house);
    expect(text).toContain('http: set');
    expect(text).toContain('Left out: wings: unknown key');
    expect(text).toContain('names: yours is set differently');
    const { value } = await house.config.read();
    expect(value).toMatchObject({ http: { port: 1234 }, names: { maxLength: 40 } });
    expect(JSON.stringify(value)).not.toContain('godwit');
  });

  it('says what is wrong with a source, and nothing of what stands in it', async () => {
    await using house = await openConfigured('{}');
    const write = (name: string, text: string) => writeFile(join(house.cwd, name), text);
    await write('bad.json', '{ "mcpServers": {\n "a": kestrel-99 }');
    await write('none.json', '{ "kestrel-99": 1 }');
    await write('list.json', '[]');
    for (const [path, words] of [
      ['bad.json', 'line 2'],
      ['none.json', 'no mcpServers'],
      ['list.json', 'no object'],
      ['gone.json', 'nothing of that name'],
      ['.', 'no servers.json'],
    ] as const) {
      const refused = prepare('migrate', { path }).plan(house);
      await expect(refused).rejects.toMatchObject({
        code: 'FILE_REFUSED',
        message: expect.stringContaining(words),
      });
      await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('kestrel') });
    }
    await expect(prepare('migrate').run(house)).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
      message: expect.stringContaining('mcpm'),
    });
  });
});

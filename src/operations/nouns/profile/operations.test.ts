import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openConfigFile } from '../../../config/config-file.ts';
import { CONFIG_PARTS } from '../../../gateway.ts';
import { createUsage } from '../../../ledger/usage.ts';
import { toDigest, type UpstreamId } from '../../../model/ids.ts';
import { type JsonObject, toCanonicalJson } from '../../../model/json.ts';
import type { Manifest } from '../../../model/manifest.ts';
import { LOCAL_PRINCIPAL } from '../../../model/principal.ts';
import { openShares } from '../../../session/shares.ts';
import type { Running } from '../../house.ts';
import { runOperationContract } from '../../operation.contract.ts';
import { openTestHouse, type TestHouse, toRunning } from '../../test-house.contract.ts';
import { PROFILE } from './operations.ts';

runOperationContract('profile', PROFILE);

const CONFIG = `{
  // Mine.
  "mcpServers": {
    "github": { "command": "gh-mcp", "tags": ["work"] }, // code
    "My Files": { "command": "files" },
    "slack": { "url": "https://slack.example/mcp", "tags": ["chat", "work"], "enabled": false }
  }
}
`;

const MANIFEST: Manifest = {
  hello: {
    era: 'legacy',
    protocolVersion: '2025-11-25',
    serverInfo: { name: 'a', version: '1' },
    capabilities: {},
    instructions: undefined,
  },
  lists: { tool: [{ name: 'one' }, { name: 'two' }], resource: [], template: [], prompt: [] },
};

async function openHouse(text = CONFIG, given: Parameters<typeof openTestHouse>[0] = {}): Promise<TestHouse> {
  const house = await openTestHouse(given);
  await mkdir(house.home, { recursive: true });
  await mkdir(house.cwd, { recursive: true });
  await writeFile(join(house.home, 'thimble.jsonc'), text);
  return house;
}

function prepare(verb: string, args: JsonObject) {
  const operation = PROFILE.find((each) => each.verb === verb);
  if (!operation) throw new Error(verb);
  return operation.prepare(args);
}

async function run(house: TestHouse, verb: string, args: JsonObject = {}) {
  return prepare(verb, args).run(house);
}

async function shareProfile(house: TestHouse, target: string, hours = 24): Promise<void> {
  const now = house.now().getTime();
  const shares = openShares(await house.store(), () => now);
  await shares.start({ name: 'team', kind: 'profile', target, expiresAt: now + hours * 3_600_000 });
}

async function tagsOf(house: TestHouse): Promise<Record<string, readonly string[]>> {
  const { config } = await house.config.read();
  return Object.fromEntries(
    config.upstreams.filter(({ tags }) => tags.length > 0).map(({ name, tags }) => [name, tags]),
  );
}

describe('listing profiles', () => {
  it('shows servers and both addresses, and what is in none', async () => {
    await using house = await openHouse();
    const { output, text } = await run(house, 'list');
    expect(output).toMatchObject({
      profiles: [
        { name: 'chat', servers: [{ name: 'slack', enabled: false }] },
        {
          name: 'work',
          servers: [
            { name: 'github', enabled: true },
            { name: 'slack', enabled: false },
          ],
          address: '/mcp?profile=work',
          command: 'thimble stdio --profile work',
        },
      ],
    });
    expect(output['untagged']).toContain('My Files');
    expect(text).toContain('work: github, slack (off)');
  });

  it('counts the tools of servers that were reached before, kept values included', async () => {
    const text = `{ "mcpServers": { "a": { "command": "a", "env": { "K": "\${secret:K}" }, "tags": ["x"] } } }`;
    await using house = await openHouse(text);
    const store = await house.store();
    await (await house.secrets()).save('K', 'v');
    const key = toDigest(toCanonicalJson({ kind: 'stdio', options: { command: 'a', env: { K: 'v' } } }), 32);
    await store.manifests.save(key, 'a' as UpstreamId, MANIFEST);
    expect((await run(house, 'list')).text).toContain('x: a (2 tools)');
  });

  it('gives the whole address when something serves, and the way to begin when there is none', async () => {
    const process = { pid: 1, command: 'serve', startedAt: '', url: 'http://127.0.0.1:7420/' };
    const running: Running = {
      processes: async () => [process],
      servers: async () => [],
      restart: async () => [],
    };
    await using house = await openHouse(CONFIG, { running });
    const { output, text } = await run(house, 'list');
    expect(output).toMatchObject({ profiles: [{ address: 'http://127.0.0.1:7420/mcp?profile=chat' }, {}] });
    expect(text).toContain('Use one with http://127.0.0.1:7420/mcp?profile=chat, or thimble stdio');
    await using empty = await openTestHouse();
    expect((await run(empty, 'list')).text).toContain('thimble profile create');
  });
});

describe('creating a profile', () => {
  it('tags the servers, by name or id, and leaves comments alone', async () => {
    await using house = await openHouse();
    await run(house, 'create', { name: 'files', servers: ['my-files', 'github', 'memory'] });
    expect(await tagsOf(house)).toMatchObject({
      'My Files': ['files'],
      github: ['work', 'files'],
      memory: ['files'],
    });
    const text = await readFile(join(house.home, 'thimble.jsonc'), 'utf8');
    expect(text).toContain('// Mine.');
    expect(text).toContain('// code');
  });

  it.each([
    ['true', ['memory']],
    ['{ "memory": true, "blog": false }', ['memory']],
    ['{ "memory": { "tags": ["a"] } }', ['memory']],
  ])('tags built-in servers where the section says %s', async (section, servers) => {
    await using house = await openHouse(`{ "builtin": ${section} }`);
    await run(house, 'create', { name: 'mine', servers });
    expect((await tagsOf(house))['memory']).toContain('mine');
  });

  it('refuses unknown servers with the nearest, and writes nothing', async () => {
    await using house = await openHouse();
    await expect(run(house, 'create', { name: 'x', servers: ['github', 'slak'] })).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
      message: expect.stringContaining('slack'),
    });
    await using off = await openHouse('{ "builtin": false }');
    await expect(run(off, 'create', { name: 'x', servers: ['memory'] })).rejects.toMatchObject({
      code: 'UPSTREAM_DISABLED',
    });
    expect(await readFile(join(house.home, 'thimble.jsonc'), 'utf8')).toBe(CONFIG);
  });

  it('needs a server, a good name, and one that is free', async () => {
    await using house = await openHouse();
    await expect(run(house, 'create', { name: 'x', servers: [] })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
    });
    await expect(run(house, 'create', { name: 'a b', servers: ['github'] })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
    });
    await expect(run(house, 'create', { name: 'work', servers: ['github'] })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
    });
  });

  it('writes no tag of a built-in server into a file that other programs read', async () => {
    await using opened = await openTestHouse();
    await mkdir(opened.cwd, { recursive: true });
    await writeFile(join(opened.cwd, '.mcp.json'), '{ "mcpServers": { "a": { "command": "a" } } }');
    const { cwd, home } = opened;
    const config = openConfigFile({ cwd, home, explicit: '.mcp.json' }, CONFIG_PARTS);
    const house: TestHouse = { ...opened, config };
    await expect(run(house, 'create', { name: 'x', servers: ['a', 'memory'] })).rejects.toMatchObject({
      code: 'FILE_REFUSED',
      message: expect.stringContaining('thimble.jsonc'),
    });
    await run(house, 'create', { name: 'x', servers: ['a'] });
    expect(await tagsOf(house)).toEqual({ a: ['x'] });
  });
});

describe('editing a profile', () => {
  it('adds and removes servers', async () => {
    await using house = await openHouse();
    const { text } = await run(house, 'edit', { name: 'work', add: ['My Files'], remove: ['slack'] });
    expect(await tagsOf(house)).toEqual({ github: ['work'], 'My Files': ['work'], slack: ['chat'] });
    expect(text).toContain('github, My Files');
  });

  it('renames without leaving a tag behind, in the place of the old one', async () => {
    await using house = await openHouse();
    await run(house, 'edit', { name: 'chat', rename: 'talk' });
    expect(await tagsOf(house)).toEqual({ github: ['work'], slack: ['talk', 'work'] });
    expect(await readFile(join(house.home, 'thimble.jsonc'), 'utf8')).not.toContain('"chat"');
  });

  it('sets exactly the servers that are given', async () => {
    await using house = await openHouse();
    await run(house, 'edit', { name: 'work', servers: ['My Files'] });
    expect(await tagsOf(house)).toEqual({ 'My Files': ['work'], slack: ['chat'] });
  });

  it('says that a profile without servers is gone', async () => {
    await using house = await openHouse();
    expect((await run(house, 'edit', { name: 'chat', remove: ['slack'] })).text).toContain('gone');
    await expect(run(house, 'edit', { name: 'chat', add: ['github'] })).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
    });
  });

  it('refuses what is not there, not in it, taken or nothing', async () => {
    await using house = await openHouse();
    await expect(run(house, 'edit', { name: 'wrok', add: ['github'] })).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
      message: expect.stringContaining('did you mean "work"'),
    });
    await expect(run(house, 'edit', { name: 'work', remove: ['My Files'] })).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
    });
    await expect(run(house, 'edit', { name: 'work', rename: 'chat' })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
    });
    await expect(run(house, 'edit', { name: 'work' })).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    expect(await readFile(join(house.home, 'thimble.jsonc'), 'utf8')).toBe(CONFIG);
  });
});

describe('a profile that is shared', () => {
  it.each([
    ['edit', { name: 'work', add: ['My Files'] }, 'My Files'],
    ['edit', { name: 'work', servers: ['github', 'my-files', 'memory'] }, 'My Files, memory'],
    [
      'edit',
      { name: 'chat', rename: 'gone', add: ['memory'] },
      'memory, slack (once it is switched on)',
      'gone',
    ],
    ['create', { name: 'gone', servers: ['github'] }, 'github', 'gone'],
  ])('is not given more without a person: %s %j', async (verb, args, servers, target = 'work') => {
    await using house = await openHouse();
    await shareProfile(house, target);
    const plan = await prepare(verb, args).plan(house);
    expect(plan?.details).toEqual([
      `every tool of ${servers} becomes reachable to whoever has the token of the share team, which shows the profile ${target} until 2026-11-17 12:00 UTC`,
    ]);
    expect(await readFile(join(house.home, 'thimble.jsonc'), 'utf8')).toBe(CONFIG);
  });

  it.each([
    ['edit', { name: 'work', remove: ['slack'] }],
    ['edit', { name: 'work', rename: 'office' }],
    ['edit', { name: 'chat', add: ['github'] }],
    ['edit', { name: 'work', add: ['slack'] }],
    ['create', { name: 'new', servers: ['github'] }],
  ])('needs nobody for what opens nothing: %s %j', async (verb, args) => {
    await using house = await openHouse();
    await shareProfile(house, 'work');
    expect(await prepare(verb, args).plan(house)).toBeUndefined();
  });

  it('needs nobody once the share is over', async () => {
    await using house = await openHouse();
    await shareProfile(house, 'work', 1);
    const later = { ...house, now: () => new Date('2026-11-16T13:00:01Z') };
    const prepared = prepare('edit', { name: 'work', add: ['memory'] });
    expect(await prepared.plan(house)).toBeDefined();
    expect(await prepared.plan(later)).toBeUndefined();
  });

  it.each([
    ['edit', { name: 'work', rename: 'office' }, 'thimble share start office'],
    ['edit', { name: 'work', servers: [] }, 'gone'],
    ['delete', { name: 'work' }, 'gone'],
  ])('says what becomes of the share: %s %j', async (verb, args, words) => {
    await using house = await openHouse();
    await shareProfile(house, 'work');
    const { text, output } = await run(house, verb, args);
    expect(text).toContain(
      'work is still shared as team, which reaches nothing now; end it with thimble share stop team',
    );
    expect(text).toContain(words);
    expect(output['shares']).toEqual(['team']);
  });

  it('refuses nonsense before anybody is asked', async () => {
    await using house = await openHouse();
    await shareProfile(house, 'work');
    await expect(prepare('create', { name: 'a b', servers: ['github'] }).plan(house)).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
    });
    await expect(prepare('edit', { name: 'work', add: ['nope'] }).plan(house)).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
    });
  });
});

describe('deleting a profile', () => {
  it('takes the tag away everywhere, from what is switched off too', async () => {
    await using house = await openHouse(
      `{ "mcpServers": { "a": { "command": "a", "tags": ["work"] } }, "builtin": { "memory": { "tags": ["work", "x"] }, "blog": { "enabled": false, "tags": ["work"] } } }`,
    );
    await run(house, 'delete', { name: 'work' });
    expect(await readFile(join(house.home, 'thimble.jsonc'), 'utf8')).not.toContain('work');
    expect(await tagsOf(house)).toEqual({ memory: ['x'] });
  });
});

describe('tags as the only truth', () => {
  const tag = fc.constantFrom('a', 'b', 'c', 'constructor', '__proto__', 'with space');
  const tagged = fc.record({
    one: fc.uniqueArray(tag, { maxLength: 4 }),
    two: fc.uniqueArray(tag, { maxLength: 4 }),
    memory: fc.uniqueArray(tag, { maxLength: 4 }),
  });

  it('leaves every other tag in its place when one is renamed or taken away', async () => {
    await fc.assert(
      fc.asyncProperty(tagged, async ({ one, two, memory }) => {
        const name = [...one, ...two, ...memory][0];
        fc.pre(name !== undefined);
        const mcpServers = { one: { command: 'x', tags: one }, two: { command: 'y', tags: two } };
        await using house = await openHouse(
          JSON.stringify({ mcpServers, builtin: { memory: { tags: memory } } }),
        );
        await run(house, 'edit', { name: name ?? '', rename: 'new' });
        const expected = Object.entries({ one, two, memory }).filter(([, tags]) => tags.length > 0);
        expect(await tagsOf(house)).toEqual(
          Object.fromEntries(
            expected.map(([server, tags]) => [server, tags.map((each) => (each === name ? 'new' : each))]),
          ),
        );
        await run(house, 'delete', { name: 'new' });
        const left = expected.map(
          ([server, tags]) => [server, tags.filter((each) => each !== name)] as const,
        );
        expect(await tagsOf(house)).toEqual(Object.fromEntries(left.filter(([, tags]) => tags.length > 0)));
      }),
      { numRuns: 25 },
    );
  });
});

describe('restarting a profile', () => {
  const server = (id: string, state: string) => toRunning(id, { state, says: `is ${state}` });

  it('restarts what runs, one after the other, and tells of it', async () => {
    const restarted: unknown[] = [];
    const running: Running = {
      processes: async () => [],
      servers: async () => [server('github', 'online'), server('files', 'online'), server('memory', 'idle')],
      async restart(id) {
        restarted.push(id);
        return [server(id ?? '', 'online')];
      },
    };
    const text = CONFIG.replace(
      '"My Files": { "command": "files" }',
      '"files": { "command": "f", "tags": ["work"] }',
    );
    await using house = await openHouse(text, { running });
    const operation = PROFILE.find(({ verb }) => verb === 'restart');
    const prepared = operation?.prepare({ name: 'work' });
    expect(await prepared?.plan(house)).toMatchObject({
      details: [
        'end files and start it again; calls in flight are cut',
        'end github and start it again; calls in flight are cut',
      ],
    });
    expect(restarted).toEqual([]);
    const outcome = await prepared?.run(house);
    expect(restarted).toEqual(['files', 'github']);
    expect(house.told).toEqual(['restarting files (1 of 2)', 'restarting github (2 of 2)']);
    expect(outcome?.succeeded).toBe(true);
    expect(outcome?.text).toBe(
      'files is online\ngithub is online\nLeft alone, since nothing of it runs: slack.',
    );
  });

  it('says which server did not come up in some process, and ends badly', async () => {
    const running: Running = {
      processes: async () => [],
      servers: async () => [server('github', 'online'), server('slack', 'awaiting_config')],
      restart: async (id) => [server(id ?? '', 'online'), server(id ?? '', 'failed')],
    };
    await using house = await openHouse(CONFIG, { running });
    const operation = PROFILE.find(({ verb }) => verb === 'restart');
    const outcome = await operation?.prepare({ name: 'work' }).run(house);
    expect(outcome?.succeeded).toBe(false);
    expect(outcome?.output).toMatchObject({
      servers: [
        { name: 'github', ok: true },
        { name: 'github', ok: false },
      ],
      resting: ['slack'],
    });
    expect(outcome?.text).toContain('github is failed');
  });

  it('needs a person also when nothing seems to run', async () => {
    await using house = await openHouse();
    const prepared = PROFILE.find(({ verb }) => verb === 'restart')?.prepare({ name: 'work' });
    expect((await prepared?.plan(house))?.details).toEqual(['nothing of it runs now, so nothing is ended']);
    expect((await prepared?.run(house))?.text).toContain('Nothing of the profile work is running');
  });
});

describe('suggesting a profile', () => {
  it('names servers for the project and those that are used, each with its reason', async () => {
    await using house = await openHouse();
    await writeFile(
      join(house.cwd, 'package.json'),
      '{ "dependencies": { "@octokit/rest": "1", "pg": "8" } }',
    );
    await noteCalls(house, { github: 4, 'my-files': 3, memory: 2, 'long-gone': 9 });
    const { output, text } = await run(house, 'suggest');
    expect(output).toEqual({
      name: 'work',
      servers: [
        {
          name: 'github',
          because: ['GitHub (@octokit/rest in package.json)', 'called 4 times in the last 30 days'],
        },
        { name: 'My Files', because: ['called 3 times in the last 30 days'] },
      ],
      search: [{ query: 'postgres', because: 'PostgreSQL (pg in package.json)' }],
    });
    expect(text).toContain("thimble profile create work github 'My Files'");
    expect(text).toContain('thimble search postgres');
  });
});

async function noteCalls(house: TestHouse, counts: Readonly<Record<string, number>>): Promise<void> {
  await using usage = createUsage({ store: await house.store(), now: () => house.now().getTime() });
  for (const [upstream, calls] of Object.entries(counts)) {
    for (let call = 0; call < calls; call++)
      usage.called({
        principal: LOCAL_PRINCIPAL,
        upstream: upstream as UpstreamId,
        tool: 'x',
        ms: 1,
        result: {},
      });
  }
  await usage.flush();
}

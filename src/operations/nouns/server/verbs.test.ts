// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration look like templates
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRegistry } from '../../../../test/support/registry-server.ts';
import { createGateway } from '../../../gateway.ts';
import { createUsage } from '../../../ledger/usage.ts';
import type { UpstreamId } from '../../../model/ids.ts';
import type { JsonObject } from '../../../model/json.ts';
import { LOCAL_PRINCIPAL } from '../../../model/principal.ts';
import { createMemoryStore } from '../../../store/memory-store.ts';
import { openSecrets } from '../../../store/secrets.ts';
import type { House, RunningServer } from '../../house.ts';
import { openTestHouse, type TestHouse, toRunning } from '../../test-house.contract.ts';
import { SERVER } from './operations.ts';

const ECHO = fileURLToPath(new URL('../../../../test/fixtures/echo-server.mjs', import.meta.url));
const BAD = fileURLToPath(new URL('../../../../test/fixtures/exits-at-once.mjs', import.meta.url));
const echo = { command: process.execPath, args: [ECHO] };

async function open(mcpServers: JsonObject = {}, given: Partial<House> = {}): Promise<TestHouse> {
  const house = await openTestHouse(given);
  onTestFinished(() => house[Symbol.asyncDispose]());
  await write(house, `// kept\n${JSON.stringify({ mcpServers }, undefined, 2)}\n`);
  return house;
}

async function write(house: House, config: string): Promise<void> {
  await mkdir(house.home, { recursive: true });
  await writeFile(join(house.home, 'thimble.jsonc'), config);
}

function prepare(verb: string, args: JsonObject) {
  const operation = SERVER.find((one) => one.verb === verb);
  if (!operation) throw new Error(`there is no ${verb}`);
  return operation.prepare(args);
}

const run = (house: House, verb: string, args: JsonObject = {}) => prepare(verb, args).run(house);
const plan = (house: House, verb: string, args: JsonObject = {}) => prepare(verb, args).plan(house);
const entry = async (house: House, name: string) =>
  ((await house.config.read()).value['mcpServers'] as Record<string, JsonObject>)[name];
const text = async (house: House) => (await house.config.read()).text;

describe('create', () => {
  it('plans, tries and keeps a program with its secrets sealed', async () => {
    const house = await open();
    const args = { name: 'mine', ...echo, env: { API_KEY: 'opensesame' } };
    expect((await plan(house, 'create', args))?.details).toEqual([
      expect.stringContaining(`${ECHO}`),
      'variable: API_KEY=(hidden, kept sealed)',
      `writes: mcpServers.mine in ${join(house.home, 'thimble.jsonc')}`,
      'starts it once first; writes only if that works',
    ]);
    expect((await run(house, 'create', args)).text).toMatch(/^mine is configured\.\nIt works: 10 tools/);
    expect(await entry(house, 'mine')).toEqual({ ...echo, env: { API_KEY: '${secret:mine.API_KEY}' } });
    expect(await text(house)).toMatch(/^\/\/ kept\n/);
  });

  it('never takes the place of another unless it is told to', async () => {
    const house = await open({ mine: { ...echo, tags: ['dev'] } });
    await expect(plan(house, 'create', { name: 'mine', ...echo })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
    });
    await expect(run(house, 'create', { name: 'memory', ...echo, force: true })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
    });
    const args = [...echo.args, '--name', 'other'];
    await run(house, 'create', { name: 'Mine', ...echo, args, force: true });
    expect(await entry(house, 'mine')).toEqual({ ...echo, args, tags: ['dev'] });
  });

  it('writes nothing that does not work, unless it is told not to look', async () => {
    const house = await open();
    const before = await text(house);
    const bad = { name: 'bad', command: process.execPath, args: [BAD], env: { TOKEN: 'opensesame' } };
    await expect(run(house, 'create', bad)).rejects.toMatchObject({
      code: 'INSTALL_FAILED',
      message: expect.stringMatching(/no licence key was given/),
    });
    expect(await text(house)).toBe(before);
    expect(await (await house.secrets()).names()).toEqual([]);
    expect((await run(house, 'create', { ...bad, untested: true })).text).toMatch(/was not tried/);
  });

  it.each<JsonObject>([
    { name: 'x' },
    { name: 'x', command: 'a', url: 'https://x.example' },
    { name: 'x', url: 'https://x.example', env: { A: '1' } },
    { name: 'x', command: 'a', headers: { A: '1' } },
    { name: 'x', url: 'https://x.example', headers: { A: 'one\r\ntwo: three' } },
    { name: '../x', command: 'a' },
    { name: 'x', command: 'a', env: { 'a\r\nb': '1' } },
    { name: 'x', url: 'https://x.example', headers: { 'a b': '1' } },
  ])('refuses %j', async (args) => {
    const house = await open();
    await expect((async () => plan(house, 'create', args))()).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
    });
  });

  it('writes no reference to a secret that could not be kept', async () => {
    const store = createMemoryStore('the disk is full');
    const house = await open({}, { store: async () => store, secrets: async () => openSecrets(store) });
    const before = await text(house);
    const args = { name: 'mine', ...echo, env: { TOKEN: 'opensesame' } };
    await expect(run(house, 'create', args)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('the disk is full'),
    });
    expect(await text(house)).toBe(before);
    expect(await openSecrets(store).names()).toEqual([]);
  });

  it('says how to say what a server is', async () => {
    await expect(run(await open(), 'create', { name: 'foo' })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringContaining(
        'say what foo is: thimble new foo -- <program> [arguments], or thimble new foo --url <address>',
      ),
    });
  });

  it('refuses an address that is none as the configuration would', async () => {
    const house = await open();
    await expect(plan(house, 'create', { name: 'x', url: 'ftp://x' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });
});

describe('what was seen when a server was tried', () => {
  it('is known to the gateway, which lists its tools without starting it', async () => {
    const house = await open();
    const starts = join(house.cwd, 'starts');
    await mkdir(house.cwd, { recursive: true });
    const args = [ECHO, '--starts', starts];
    await run(house, 'create', {
      name: 'mine',
      command: process.execPath,
      args,
      env: { API_KEY: 'opensesame' },
    });
    const { config } = await house.config.read();
    await using gateway = await createGateway(
      { ...config, upstreams: config.upstreams.filter(({ id }) => id === 'mine') },
      { home: house.home, env: {} },
    );
    const [upstream] = gateway.upstreams.all;
    expect(upstream?.state).toEqual({ is: 'idle' });
    expect(upstream?.manifest?.lists.tool).toHaveLength(10);
    expect((await readFile(starts, 'utf8')).trim().split('\n')).toHaveLength(1);
  });
});

describe('edit', () => {
  it('changes what is named and leaves the rest, comments included', async () => {
    const house = await open();
    await write(
      house,
      `{
  "mcpServers": {
    // the parrot
    "mine": {
      "command": ${JSON.stringify(process.execPath)}, // node
      "args": [${JSON.stringify(ECHO)}],
      "env": { "A": "1", "B": "2" }
    }
  }
}
`,
    );
    const args = { name: 'mine', env: { B: '3', API_KEY: 'opensesame' }, unset: ['env.A'] };
    const planned = await plan(house, 'edit', args);
    expect(planned?.details.join('\n')).toMatch(/-.*"A"/);
    expect(JSON.stringify(planned)).not.toContain('opensesame');
    await run(house, 'edit', args);
    expect((await entry(house, 'mine'))?.['env']).toEqual({ B: '3', API_KEY: '${secret:mine.API_KEY}' });
    expect(await text(house)).toMatch(/\/\/ the parrot[\s\S]*\/\/ node/);
  });

  it('renames, keeps the secrets, and forgets those that are replaced', async () => {
    const house = await open({ mine: echo });
    await run(house, 'edit', { name: 'mine', env: { TOKEN: 'first-one' } });
    await run(house, 'edit', { name: 'mine', alias: 'parrot', env: { TOKEN: 'second-one' } });
    expect(await entry(house, 'mine')).toBeUndefined();
    expect((await entry(house, 'parrot'))?.['env']).toEqual({ TOKEN: '${secret:parrot.TOKEN}' });
    expect([...(await (await house.secrets()).all()).values()]).toEqual(['second-one']);
  });

  it('changes nothing when the server does not work that way', async () => {
    const house = await open({ mine: echo });
    const before = await text(house);
    await expect(run(house, 'edit', { name: 'mine', args: [BAD] })).rejects.toMatchObject({
      code: 'INSTALL_FAILED',
    });
    expect(await text(house)).toBe(before);
  });

  it('says where a value goes, by what the server is', async () => {
    const house = await open({ weather: { type: 'http', url: 'https://w.example/mcp' }, mine: echo });
    const refusal = (args: JsonObject) => plan(house, 'edit', args).catch((error: Error) => error.message);
    expect(await refusal({ name: 'weather', env: { 'X-Key': 'a' } })).toContain(
      'weather is at a URL; use --headers X-Key=…',
    );
    expect(await refusal({ name: 'mine', headers: { KEY: 'a' } })).toContain(
      'mine is a program; use --env KEY=…',
    );
  });

  it('says what is wrong with the wish', async () => {
    const house = await open({ mine: { ...echo, env: { DEBUG: '1' } }, other: echo });
    const wrong = (args: JsonObject) => expect(plan(house, 'edit', args)).rejects;
    await wrong({ name: 'mien', command: 'x' }).toMatchObject({
      code: 'NAME_UNKNOWN',
      message: expect.stringContaining('"mine"'),
    });
    await wrong({ name: 'mine' }).toMatchObject({ message: expect.stringContaining('nothing would change') });
    await wrong({ name: 'mine', unset: ['env.DEBUGG'] }).toMatchObject({
      message: expect.stringContaining('did you mean "env.DEBUG"'),
    });
    await wrong({ name: 'mine', alias: 'other' }).toMatchObject({ code: 'NAME_TAKEN' });
    await wrong({ name: 'memory', command: 'x' }).toMatchObject({
      message: expect.stringContaining('built in'),
    });
    await wrong({ name: 'mine', url: 'https://x.example' }).toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

describe('uninstall', () => {
  it('takes everything out and says where it was', async () => {
    const house = await open({
      mine: { ...echo, tags: ['dev', 'ops'] },
      other: { ...echo, env: { T: '${secret:shared}' } },
    });
    await (await house.secrets()).save('shared', 'for both');
    await run(house, 'edit', { name: 'mine', env: { TOKEN: 'opensesame', T: '${secret:shared}' } });
    const done = await run(house, 'uninstall', { name: 'mine' });
    expect(done.output).toMatchObject({ name: 'mine', profiles: ['dev', 'ops'], secrets: 1 });
    expect(done.text).toMatch(/It was in the profiles dev, ops/);
    expect(await entry(house, 'mine')).toBeUndefined();
    expect(await (await house.secrets()).names()).toEqual(['shared']);
    await expect(run(house, 'uninstall', { name: 'mine' })).rejects.toMatchObject({ code: 'NAME_UNKNOWN' });
    await expect(run(house, 'uninstall', { name: 'memory' })).rejects.toMatchObject({
      message: expect.stringContaining('server disable memory'),
    });
  });
});

describe('enable and disable', () => {
  it('switch servers off and on again, leaving the file as it was', async () => {
    const house = await open({ mine: echo });
    const before = await text(house);
    await run(house, 'disable', { name: 'mine' });
    expect((await entry(house, 'mine'))?.['enabled']).toBe(false);
    expect((await run(house, 'disable', { name: 'mine' })).output).toMatchObject({ changed: false });
    expect(await plan(house, 'enable', { name: 'mine' })).toMatchObject({
      summary: 'switch on the server mine',
    });
    await run(house, 'enable', { name: 'mine' });
    expect(await text(house)).toBe(before);
    expect(await plan(house, 'enable', { name: 'mine' })).toBeUndefined();
  });

  it('say what is switched on, and are commands of one word', async () => {
    const house = await open({ mine: { ...echo, enabled: false } });
    await run(house, 'disable', { name: 'memory' });
    const ours = (await plan(house, 'enable', { name: 'memory' }))?.details.join('\n');
    expect(ours).toContain('memory is built in');
    expect(ours).toContain((await house.config.read()).path);
    expect((await plan(house, 'enable', { name: 'mine' }))?.details.join('\n')).toContain(
      `runs: ${process.execPath}`,
    );
    const short = SERVER.filter(({ verb }) => /^(enable|disable|test)$/.test(verb)).map((one) => one.short);
    expect(short).toEqual(['enable', 'disable', 'test']);
  });

  it('understand how other clients write it', async () => {
    const house = await open({ mine: { ...echo, disabled: true } });
    await run(house, 'enable', { name: 'mine' });
    expect(await entry(house, 'mine')).toEqual(echo);
  });

  it.each([undefined, true, false, { blog: false }, { memory: { tags: ['x'] } }])(
    'switch one of ours when the section is %j',
    async (builtin) => {
      const house = await open();
      if (builtin !== undefined)
        await house.config.edit(() => [{ path: ['builtin'], value: builtin as JsonObject }]);
      const on = async () =>
        new Set((await house.config.read()).config.upstreams.map(({ id }) => id as string));
      const others = new Set([...(await on())].filter((id) => id !== 'memory'));
      await run(house, 'disable', { name: 'memory' });
      expect(await on()).toEqual(others);
      await run(house, 'enable', { name: 'memory' });
      expect(await on()).toEqual(new Set([...others, 'memory']));
    },
  );

  it('switch single tools that are known, and suggest for others', async () => {
    const house = await open({ mine: echo });
    const off = (tool: string) => run(house, 'disable', { name: 'mine', tool });
    await expect(off('add')).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
      message: expect.stringContaining('server test mine'),
    });
    await run(house, 'test', { name: 'mine' });
    await expect(off('ecoh')).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
      message: expect.stringContaining('"echo"'),
    });
    await off('echo');
    await off('add');
    expect((await entry(house, 'mine'))?.['disabledTools']).toEqual(['add', 'echo']);
    await run(house, 'enable', { name: 'mine', tool: 'add' });
    await run(house, 'enable', { name: 'mine', tool: 'echo' });
    expect(await entry(house, 'mine')).toEqual(echo);
  });

  it('switch single tools of ours', async () => {
    const house = await open();
    await run(house, 'disable', { name: 'memory', tool: 'delete_memory' });
    const memory = async () => (await house.config.read()).config.upstreams.find(({ id }) => id === 'memory');
    expect((await memory())?.disabledTools).toEqual(['delete_memory']);
    await run(house, 'enable', { name: 'memory', tool: 'delete_memory' });
    expect((await memory())?.disabledTools).toBeUndefined();
  });
});

const running = (id: string, more: Partial<RunningServer> = {}) =>
  toRunning(id, { says: 'is running', ...more });
const withRunning = (...servers: RunningServer[]): Pick<House, 'running'> => ({
  running: {
    processes: async () => [],
    servers: async (id) => servers.filter((one) => id === undefined || one.id === id),
    restart: async () => [],
  },
});

describe('test', () => {
  it('tries all that are on, and says which do not work', async () => {
    const house = await open({
      good: echo,
      bad: { command: process.execPath, args: [BAD] },
      off: { ...echo, enabled: false },
    });
    expect(await plan(house, 'test')).toMatchObject({ summary: 'start bad, good once' });
    const { output, text: said, succeeded } = await run(house, 'test');
    expect(output).toMatchObject({
      passed: 1,
      failed: 1,
      results: [
        { name: 'bad', ok: false },
        { name: 'good', ok: true },
      ],
    });
    expect(succeeded).toBe(false);
    expect(said).toMatch(/bad FAILED: .*\n {4}no licence key was given\ngood works, 10 tools/);
  });

  it('asks nobody for what runs already or starts nothing', async () => {
    const house = await open({ good: echo }, withRunning(running('good')));
    expect(await plan(house, 'test', { name: 'good' })).toBeUndefined();
    const { output, text: said } = await run(house, 'test', { name: 'good' });
    expect(output).toMatchObject({ results: [{ ok: true, tried: false }] });
    expect(said).toMatch(
      /^good is running, \d+ calls so far; it was not started again\. Its tools have not been seen/,
    );
    expect(await plan(house, 'test', { name: 'memory' })).toBeUndefined();
    expect((await run(house, 'test', { name: 'memory' })).output).toMatchObject({ passed: 1 });
  });
});

describe('list, info, logs and usage', () => {
  it('show how servers stand, and no secret of theirs', async () => {
    const env = { API_KEY: '${secret:mine.API_KEY}', PLAIN: 'literal-value' };
    const said = ['booted', 'token is opensesame', 'key=hunter2hunter2'];
    const house = await open(
      { mine: { ...echo, env, tags: ['dev'] } },
      withRunning(running('mine', { stderr: said })),
    );
    await (await house.secrets()).save('mine.API_KEY', 'opensesame');
    expect((await run(house, 'list')).text).toMatch(/mine +stdio +online +not seen yet +dev/);
    const { output, text: told } = await run(house, 'info', { name: 'mine' });
    expect(output).toMatchObject({
      configured: true,
      state: 'is running',
      entry: { env: { API_KEY: env.API_KEY, PLAIN: '(hidden)' } },
    });
    expect(told).not.toContain('literal-value');
    expect((await run(house, 'logs', { name: 'mine' })).output['lines']).toEqual([
      'booted',
      'token is (hidden)',
      'key=(hidden)',
    ]);
    expect((await run(house, 'logs', { name: 'memory' })).text).toMatch(/Nothing runs memory now/);
  });

  it('say which process wrote what, where several run one', async () => {
    const two = [running('mine', { pid: 11, stderr: ['a'] }), running('mine', { pid: 12, stderr: ['b'] })];
    const house = await open({ mine: echo }, withRunning(...two));
    const { output, text: said } = await run(house, 'logs', { name: 'mine' });
    expect(said).toBe('mine, process 11:\na\n\nmine, process 12:\nb');
    expect(output['lines']).toEqual(['a', 'b']);
  });

  it('count what was used', async () => {
    const house = await open({ mine: echo });
    const now = () => house.now().getTime();
    const usage = createUsage({ store: await house.store(), now });
    const call = {
      principal: LOCAL_PRINCIPAL,
      upstream: 'mine' as UpstreamId,
      tool: 'add',
      ms: 20,
      result: { content: [] },
    };
    for (let at = 0; at < 3; at++) usage.called(call);
    await usage[Symbol.asyncDispose]();
    const { output, text: said } = await run(house, 'usage', { name: 'mine' });
    expect(output).toMatchObject({ calls: 3, tools: [{ server: 'mine', tool: 'add', calls: 3 }] });
    expect(said).toContain('mine:add');
    expect((await run(house, 'usage')).output['unused']).toContain('memory');
    await expect(run(house, 'usage', { name: 'mien' })).rejects.toMatchObject({ code: 'NAME_UNKNOWN' });
  });
});

describe('search and info of the registry', () => {
  it('tell what is there, how to get it, and nothing that moves the cursor', async () => {
    const registry = await startRegistry([
      {
        name: 'com.acme/weather',
        version: '1.0.0',
        description: 'Forecasts\u001b[2J for any city',
        packages: [
          {
            registryType: 'npm',
            identifier: 'weather',
            version: '1.0.0',
            transport: { type: 'stdio' },
            environmentVariables: [{ name: 'KEY', description: 'yours', isRequired: true, isSecret: true }],
          },
        ],
      },
    ]);
    onTestFinished(() => registry[Symbol.asyncDispose]());
    const house = await open({}, { env: { THIMBLE_REGISTRY_URL: registry.url }, fetch: globalThis.fetch });
    const found = await run(house, 'search', { query: 'wether' });
    expect(found.text).toBe(
      'com.acme/weather 1.0.0 [npm]\n    Forecasts[2J for any city\ninstall one with: thimble install <name>',
    );
    expect((await run(house, 'search', { query: 'zebra' })).text).toMatch(
      /Nothing in the registry fits "zebra"/,
    );
    expect((await run(house, 'info', { name: 'weather' })).text).toMatch(
      /- npm: weather@1.0.0\n {4}KEY \(required, secret\) yours/,
    );
  });
});

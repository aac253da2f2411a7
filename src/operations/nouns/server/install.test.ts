// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration look like templates
import { createHash } from 'node:crypto';
import { access, chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startHttpServer } from '../../../../test/support/http-server.ts';
import { type RegistryFixture, startRegistry } from '../../../../test/support/registry-server.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { House } from '../../house.ts';
import { openTestHouse, type TestHouse } from '../../test-house.contract.ts';
import { install } from './install.ts';
import { list } from './list.ts';
import { uninstall } from './uninstall.ts';

const FIXTURES = fileURLToPath(new URL('../../../../test/fixtures/', import.meta.url));

/** Stands for a package runner: starts the fixture its package is called after. */
const RUNNER = `#!${process.execPath}
import { appendFileSync } from 'node:fs';
const [, , ...args] = process.argv;
appendFileSync(process.env.HOME + '/runs', JSON.stringify(args) + '\\n');
const target = args.find((arg) => arg.includes('-server')) ?? '';
if (target.includes('broken')) { console.error('npm error 404 no such package; token was ' + process.env.API_KEY); process.exit(1); }
process.argv = [process.argv[0], '${FIXTURES}echo-server.mjs', ...args.slice(args.indexOf(target) + 1)];
await import('${FIXTURES}echo-server.mjs');
`;

const npm = (name: string, version: string, more: JsonObject = {}): JsonObject => ({
  name,
  version,
  description: 'Says things back',
  packages: [
    {
      registryType: 'npm',
      identifier: `@acme/${name.split('/')[1]}-server`,
      version,
      transport: { type: 'stdio' },
      ...more,
    },
  ],
});

const KEY = { name: 'API_KEY', description: 'the key of your account', isRequired: true, isSecret: true };

interface Place {
  readonly house: TestHouse;
  readonly registry: RegistryFixture;
}

async function open(servers: readonly JsonObject[], given: Partial<House> = {}): Promise<Place> {
  const registry = await startRegistry(servers);
  const house = await openTestHouse({ fetch: globalThis.fetch, ...given });
  const bin = join(house.machine.userHome, 'tools');
  await mkdir(bin, { recursive: true });
  await mkdir(house.cwd, { recursive: true });
  for (const name of ['npx', 'uvx', 'docker']) {
    await writeFile(join(bin, `${name}.mjs`), RUNNER);
    await writeFile(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${bin}/${name}.mjs" "$@"\n`);
    await chmod(join(bin, name), 0o755);
  }
  const env = {
    PATH: `${bin}:/usr/bin:/bin`,
    HOME: house.machine.userHome,
    THIMBLE_REGISTRY_URL: registry.url,
  };
  onTestFinished(async () => {
    await house[Symbol.asyncDispose]();
    await registry[Symbol.asyncDispose]();
  });
  return { house: { ...house, env: { ...env, ...given.env } }, registry };
}

const run = async (house: House, args: JsonObject) =>
  (await install.prepare(args).run(house)) as { output: JsonObject; text: string };
const plan = (house: House, args: JsonObject) => install.prepare(args).plan(house);
const entries = async (house: House) =>
  (await house.config.read()).value['mcpServers'] as Record<string, JsonObject> | undefined;
const runs = async ({ machine }: House) => readFile(join(machine.userHome, 'runs'), 'utf8').catch(() => '');

/** Everything that must be as it was before when an installation fails. */
async function photograph(house: TestHouse): Promise<unknown> {
  const { text } = await house.config.read();
  const secrets = await (await house.secrets()).names();
  const bin = await readdir(join(house.home, 'bin')).catch(() => []);
  return { text, secrets, bin };
}

describe('an installation from the registry', () => {
  it('hides nothing that the registry wrote itself, whatever it calls it', async () => {
    const { house } = await open([
      npm('com.acme/echo', '1.0.0', {
        runtimeArguments: [{ type: 'named', name: '-c', value: '/tmp/evil.sh; key=1' }],
        packageArguments: [{ type: 'named', name: '--token', value: 'of-the-registry', isSecret: true }],
        environmentVariables: [{ name: 'API_KEY', default: 'everybody-knows', isSecret: true }],
      }),
    ]);
    const planned = (await plan(house, { name: 'echo' }))?.details.join('\n');
    expect(planned).toContain(
      'runs: npx -y -c "/tmp/evil.sh; key=1" @acme/echo-server@1.0.0 --token of-the-registry',
    );
    expect(planned).toContain('variable: API_KEY=everybody-knows');
    expect(planned).not.toContain('hidden');
  });

  it('is planned to the letter without a secret, then tried, then kept with its secrets sealed', async () => {
    const { house } = await open([
      npm('com.acme/echo', '1.0.0', { environmentVariables: [KEY, { name: 'MODE', default: 'plain' }] }),
    ]);
    const args = { name: 'echo', env: { API_KEY: 'opensesame', MODE: 'loud' } };
    const planned = await plan(house, args);
    expect(planned?.summary).toBe('install the server echo');
    expect(planned?.details).toEqual([
      'comes from: com.acme/echo 1.0.0 of the registry (npm)',
      'says of itself: Says things back',
      'runs: npx -y @acme/echo-server@1.0.0',
      'variable: API_KEY=(hidden, kept sealed)',
      'variable: MODE=loud',
      `writes: mcpServers.echo in ${house.home}/thimble.jsonc`,
      'then starts it once to see its tools',
    ]);
    expect(await runs(house)).toBe('');
    expect(await entries(house)).toBeUndefined();

    const { output, text } = await run(house, args);
    expect(output).toMatchObject({ name: 'echo', status: 'installed', version: '1.0.0' });
    expect(text).toMatch(/echo 1.0.0 is installed.*\nIt works: 10 tools \(echo, add/);
    expect(await entries(house)).toEqual({
      echo: {
        command: 'npx',
        args: ['-y', '@acme/echo-server@1.0.0'],
        env: { API_KEY: '${secret:echo.API_KEY}', MODE: 'loud' },
        version: '1.0.0',
      },
    });
    expect(await (await house.secrets()).all()).toEqual(new Map([['echo.API_KEY', 'opensesame']]));
    const { output: listed } = await list.prepare({}).run(house);
    expect(listed['servers']).toContainEqual({
      id: 'echo',
      name: 'echo',
      kind: 'stdio',
      enabled: true,
      tags: [],
      tools: 10,
    });
  });

  it('names each missing variable, and how to give it', async () => {
    const { house } = await open([npm('com.acme/echo', '1.0.0', { environmentVariables: [KEY] })]);
    const failure = {
      code: 'INVALID_PARAMS',
      message: expect.stringContaining('--env API_KEY=<secret> (the key of your account)'),
      data: { missing: [{ name: 'API_KEY', description: 'the key of your account', secret: true }] },
    };
    await expect(plan(house, { name: 'echo' })).rejects.toMatchObject(failure);
    await expect(run(house, { name: 'echo' })).rejects.toMatchObject(failure);
  });

  it('never guesses between several, and suggests for what is misspelt', async () => {
    const { house } = await open([npm('com.acme/echo', '1.0.0'), npm('org.other/echo', '1.0.0')]);
    await expect(plan(house, { name: 'echo' })).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
      message: expect.stringContaining('com.acme/echo, org.other/echo'),
    });
    await expect(plan(house, { name: 'ecoh' })).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
      message: expect.stringContaining('com.acme/echo'),
    });
    await expect(plan(house, { name: 'com.acme/none' })).rejects.toMatchObject({ code: 'NAME_UNKNOWN' });
    expect((await run(house, { name: 'org.other/echo' })).output).toMatchObject({ name: 'echo' });
  });

  it('leaves one alone that is installed, and upgrades it when told', async () => {
    const { house, registry } = await open([npm('com.acme/echo', '1.0.0', { environmentVariables: [KEY] })]);
    await run(house, { name: 'echo', env: { API_KEY: 'opensesame' } });
    await house.config.edit(() => [{ path: ['mcpServers', 'echo', 'tags'], value: ['dev'] }]);
    expect(await plan(house, { name: 'echo' })).toBeUndefined();
    await expect(plan(house, { name: 'echo', env: { API_KEY: 'x' } })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
      message: 'echo is installed already; to change its values: thimble edit echo --env API_KEY=…',
    });
    expect((await run(house, { name: 'echo' })).output).toMatchObject({ status: 'present' });

    registry.servers.push(npm('com.acme/echo', '2.0.0', { environmentVariables: [KEY] }));
    await expect(run(house, { name: 'echo', version: '2.0.0' })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
      message: expect.stringMatching(/version 1\.0\.0.*--force/),
    });
    const { output } = await run(house, { name: 'echo', version: '2.0.0', force: true });
    expect(output).toMatchObject({ status: 'upgraded', version: '2.0.0' });
    expect((await entries(house))?.['echo']).toEqual({
      command: 'npx',
      args: ['-y', '@acme/echo-server@2.0.0'],
      env: { API_KEY: '${secret:echo.API_KEY}' },
      version: '2.0.0',
      tags: ['dev'],
    });
    await expect(run(house, { name: 'echo', version: '9.9.9', force: true })).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
    });
  });

  it('forgets an old secret when a new one takes its place', async () => {
    const { house } = await open([npm('com.acme/echo', '1.0.0', { environmentVariables: [KEY] })]);
    await run(house, { name: 'echo', env: { API_KEY: 'first-value' } });
    await run(house, { name: 'echo', env: { API_KEY: 'second-value' }, force: true });
    expect([...(await (await house.secrets()).all()).values()]).toEqual(['second-value']);
  });

  it('leaves everything as it was when the server does not work, and says why without the secret', async () => {
    const { house } = await open([
      npm('com.acme/echo', '1.0.0'),
      npm('com.acme/broken', '1.0.0', { environmentVariables: [KEY] }),
      npm('com.acme/echo', '2.0.0', { identifier: '@acme/broken-server' }),
    ]);
    await run(house, { name: 'com.acme/echo', version: '1.0.0' });
    const before = await photograph(house);
    const error = await run(house, { name: 'broken', env: { API_KEY: 'opensesame' } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      code: 'INSTALL_FAILED',
      message: expect.stringMatching(
        /^broken was not installed.*npm error 404 no such package.*Nothing was changed/,
      ),
    });
    expect(JSON.stringify([error, (error as Error).message])).not.toContain('opensesame');
    await expect(run(house, { name: 'com.acme/echo', version: '2.0.0', force: true })).rejects.toMatchObject({
      code: 'INSTALL_FAILED',
    });
    expect(await photograph(house)).toEqual(before);
  });

  it('works from what was said before while the registry cannot be asked', async () => {
    const { house, registry } = await open([npm('com.acme/echo', '1.0.0')]);
    await plan(house, { name: 'com.acme/echo' });
    registry.trouble = 'error';
    const later = { ...house, now: () => new Date('2026-11-16T15:00:00Z') };
    const planned = await plan(later, { name: 'com.acme/echo' });
    expect(planned?.details.at(-1)).toMatch(
      /^note: the registry cannot be asked now; this is what it said 3 h ago/,
    );
    expect((await run(later, { name: 'com.acme/echo' })).output).toMatchObject({ status: 'installed' });
  });

  it('says so when neither registry nor memory can help', async () => {
    const { house, registry } = await open([]);
    registry.trouble = 'html';
    await expect(plan(house, { name: 'x' })).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
  });

  it('refuses names of its own and names that could be something else', async () => {
    const { house } = await open([npm('com.acme/echo', '1.0.0'), npm('com.acme/memory', '1.0.0')]);
    await expect(run(house, { name: 'com.acme/echo', alias: 'memory' })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
    });
    for (const alias of ['../x', '__proto__', 'constructor', '-rf', 'a/b', 'a b'])
      await expect(run(house, { name: 'com.acme/echo', alias }), alias).rejects.toMatchObject({
        code: 'INVALID_PARAMS',
      });
    expect(await runs(house)).toBe('');
    expect((await run(house, { name: 'com.acme/echo', alias: 'parrot' })).output).toMatchObject({
      name: 'parrot',
    });
  });
});

describe('other ways to install', () => {
  it('runs packages of other kinds', async () => {
    const { house } = await open([]);
    await run(house, { name: 'py', from: 'pypi:echo-server==1.0' });
    await run(house, { from: 'oci:acme/echo-server:1', name: 'box', env: { TOKEN: 'abcdef' } });
    const all = await entries(house);
    expect(all?.['py']).toEqual({ command: 'uvx', args: ['echo-server==1.0'], version: '1.0' });
    expect(all?.['box']).toEqual({
      command: 'docker',
      args: ['run', '-i', '--rm', '-e', 'TOKEN', 'acme/echo-server:1'],
      env: { TOKEN: '${secret:box.TOKEN}' },
      version: '1',
    });
  });

  it('tells no version of a package that the registry does not pin', async () => {
    const image = { registryType: 'npm', identifier: 'echo-server', transport: { type: 'stdio' } };
    const { house } = await open([
      { name: 'com.acme/echo', version: '7', description: '', packages: [image] },
    ]);
    expect((await run(house, { name: 'echo' })).output).not.toHaveProperty('version');
    expect((await entries(house))?.['echo']).toEqual({ command: 'npx', args: ['-y', 'echo-server'] });
  });

  it('says how an argument that may come more than once gets its other values', async () => {
    const folder = { type: 'positional', valueHint: 'folder', isRepeated: true, isRequired: true };
    const { house } = await open([npm('com.acme/echo', '1', { packageArguments: [folder] })]);
    const line = 'folder may be given more than once; add others with thimble server edit echo --args';
    expect((await plan(house, { name: 'echo', env: { folder: '/x' } }))?.details).toContain(line);
    expect((await run(house, { name: 'echo', env: { folder: '/x' } })).text).toContain(line);
  });

  it('takes the kind it is told, else the first that can run here', async () => {
    const packages = ['npm', 'pypi', 'oci'].map((registryType) => ({
      registryType,
      identifier: 'echo-server',
      version: '1',
      transport: { type: 'stdio' },
    }));
    const { house } = await open([{ name: 'com.acme/echo', version: '1', description: '', packages }]);
    expect((await plan(house, { name: 'echo' }))?.details).toContain(
      'could also come from: pypi, oci (--from)',
    );
    expect((await plan(house, { name: 'echo', from: 'pypi' }))?.details).toContain(
      'runs: uvx echo-server==1',
    );
    await expect(plan(house, { name: 'echo', from: 'remote' })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
    });
    const bare = { ...house, env: { ...house.env, PATH: '/nowhere' } };
    expect((await plan(bare, { name: 'echo' }))?.details).toContain('runs: npx -y echo-server@1');
  });

  it('keeps a server elsewhere, with its headers sealed', async () => {
    const server = await startHttpServer('both');
    onTestFinished(() => server.close());
    const remotes = [
      {
        type: 'streamable-http',
        url: server.url,
        headers: [{ name: 'X-Api-Key', isRequired: true, isSecret: true }],
      },
    ];
    const { house } = await open([{ name: 'com.acme/away', version: '1.0.0', description: '', remotes }]);
    const { output } = await run(house, { name: 'away', env: { 'X-Api-Key': 'opensesame' } });
    expect(output).toMatchObject({ status: 'installed', tools: expect.arrayContaining(['echo']) });
    expect((await entries(house))?.['away']).toEqual({
      type: 'http',
      url: server.url,
      headers: { 'X-Api-Key': '${secret:away.X_Api_Key}' },
    });
    expect(server.seen.some(({ headers }) => headers['x-api-key'] === 'opensesame')).toBe(true);
  });
});

describe('a program that is downloaded', () => {
  const PROGRAM = `#!/bin/sh\nexec "${process.execPath}" "${FIXTURES}echo-server.mjs" "$@"\n`;
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const serve = (body: string, more: Record<string, () => Response> = {}): typeof fetch =>
    (async (input: string) => more[input]?.() ?? new Response(body)) as typeof fetch;
  const from = (sha256: string) => `binary:https://example.com/echo-tool#sha256=${sha256}`;

  it('is checked, kept for nobody but its owner, and gone when it is uninstalled', async () => {
    const { house } = await open([], { fetch: serve(PROGRAM) });
    const planned = await plan(house, { from: from(digest(PROGRAM)) });
    expect(planned?.details).toContain(
      `downloads: https://example.com/echo-tool (sha256 ${digest(PROGRAM)})`,
    );
    expect(await photograph(house)).toMatchObject({ bin: [] });
    await run(house, { from: from(digest(PROGRAM)) });
    const path = String((await entries(house))?.['echo-tool']?.['command']);
    expect(path).toBe(join(house.home, 'bin', `echo-tool-${digest(PROGRAM).slice(0, 12)}`));
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    await uninstall.prepare({ name: 'echo-tool' }).run(house);
    await expect(access(path)).rejects.toThrow();
  });

  it.each<[string, string, Record<string, () => Response>, RegExp]>([
    ['is another file', 'f'.repeat(64), {}, /not the file that was announced/],
    [
      'leads away from https',
      digest(PROGRAM),
      { 'https://example.com/echo-tool': () => Response.redirect('http://example.com/x', 302) },
      /not https/,
    ],
    [
      'is not there',
      digest(PROGRAM),
      { 'https://example.com/echo-tool': () => new Response('', { status: 404 }) },
      /status 404/,
    ],
  ])('is thrown away when it %s', async (_what, sha256, more, problem) => {
    const { house } = await open([], { fetch: serve(PROGRAM, more) });
    const before = await photograph(house);
    await expect(run(house, { from: from(sha256) })).rejects.toMatchObject({
      code: 'INSTALL_FAILED',
      message: expect.stringMatching(problem),
    });
    expect(await photograph(house)).toEqual(before);
  });

  it.each([
    ['an archive', 'PK\u0003\u0004rest'],
    ['a program that does not work', '#!/bin/sh\necho no luck >&2\nexit 3\n'],
  ])('is thrown away when it is %s', async (_what, body) => {
    const { house } = await open([], { fetch: serve(body) });
    const before = await photograph(house);
    await expect(run(house, { from: from(digest(body)) })).rejects.toMatchObject({ code: 'INSTALL_FAILED' });
    expect(await photograph(house)).toEqual(before);
  });
});

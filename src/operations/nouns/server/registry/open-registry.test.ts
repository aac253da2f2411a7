import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type RegistryFixture,
  startRegistry,
  type Trouble,
} from '../../../../../test/support/registry-server.ts';
import type { JsonObject } from '../../../../model/json.ts';
import { openTestHouse, type TestHouse } from '../../../test-house.contract.ts';
import { compareVersions } from './mirror.ts';
import { openRegistry } from './open-registry.ts';
import { matchName, rankServers } from './rank.ts';
import { parseServer } from './server-json.ts';

const server = (name: string, description = '', more: JsonObject = {}): JsonObject => ({
  name,
  description,
  version: '1.0.0',
  packages: [
    {
      registryType: 'npm',
      identifier: `@x/${name.split('/')[1]}`,
      version: '1.0.0',
      transport: { type: 'stdio' },
    },
  ],
  ...more,
});

const SERVERS = [
  server('io.github.acme/github', 'Works with issues and pull requests'),
  server('io.github.other/github', 'Another one'),
  server('com.example/weather-mcp-server', 'Forecasts for any city'),
  server('com.example/calendar', 'Appointments, also of the weather office'),
  server('com.example/old', 'Gone', { status: 'deleted' }),
];

interface Clock {
  now: Date;
}

async function open(fixture: RegistryFixture) {
  const clock: Clock = { now: new Date('2026-11-16T12:00:00Z') };
  const house = await openTestHouse({
    env: { THIMBLE_REGISTRY_URL: fixture.url },
    fetch: globalThis.fetch,
    now: () => clock.now,
  });
  onTestFinished(async () => {
    await house[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });
  /** One that is not waited for: whoever stays silent for so long never answers. */
  const impatient = openRegistry(house, { timeoutMs: 300 });
  return { house, registry: openRegistry(house, { timeoutMs: 30_000 }), impatient, clock };
}

const names = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name);

describe('the registry over HTTP', () => {
  it('is asked page by page, and no further than it has to be', async () => {
    const many = Array.from({ length: 250 }, (_, at) => server(`com.many/github-${at}`));
    const fixture = await startRegistry(many);
    fixture.pageSize = 100;
    const { registry } = await open(fixture);
    expect((await registry.candidates('github')).value).toHaveLength(250);
    expect(fixture.asked).toEqual([
      '/v0.1/servers?version=latest&limit=100&search=github',
      '/v0.1/servers?version=latest&limit=100&search=github&cursor=100',
      '/v0.1/servers?version=latest&limit=100&search=github&cursor=200',
    ]);
  });

  it('ends when pages lead back to themselves', async () => {
    const fixture = await startRegistry();
    fixture.trouble = 'loop';
    const { registry } = await open(fixture);
    expect((await registry.candidates('x-y')).value).toEqual([]);
    expect(fixture.asked.length).toBeLessThan(10);
  });

  it('is found under its older address too', async () => {
    const fixture = await startRegistry(SERVERS);
    fixture.prefix = 'v0';
    const { registry } = await open(fixture);
    expect(names((await registry.candidates('calendar')).value)).toContain('com.example/calendar');
    expect((await registry.get('com.example/calendar', 'latest')).value?.version).toBe('1.0.0');
  });

  it('is asked once more after a passing fault', async () => {
    const fixture = await startRegistry(SERVERS);
    fixture.trouble = 'once';
    const { registry } = await open(fixture);
    expect((await registry.get('com.example/calendar', 'latest')).value?.name).toBe('com.example/calendar');
  });

  it.each<[Trouble, RegExp]>([
    ['silent', /did not answer within 0.3 s/],
    ['error', /status 500/],
    ['busy', /429/],
    ['html', /no JSON document/],
    ['array', /no JSON document/],
    ['wrong', /something else than servers/],
    ['huge', /more than 8 MB/],
    ['cut', /cannot be reached/],
  ])('is unavailable when it answers with %s', async (trouble, problem) => {
    const fixture = await startRegistry(SERVERS);
    fixture.trouble = trouble;
    const { registry: patient, impatient } = await open(fixture);
    const registry = trouble === 'silent' ? impatient : patient;
    const failure = { code: 'REGISTRY_UNAVAILABLE', message: expect.stringMatching(problem) };
    await expect(registry.candidates('github')).rejects.toMatchObject(failure);
    await expect(registry.get('com.example/calendar', 'latest')).rejects.toMatchObject({
      code: failure.code,
    });
  });

  it('is unavailable when nothing listens there', async () => {
    const fixture = await startRegistry();
    await fixture[Symbol.asyncDispose]();
    const { registry } = await open(fixture);
    await expect(registry.candidates('x')).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
  });

  it('knows no server that is not there', async () => {
    const { registry } = await open(await startRegistry(SERVERS));
    expect(await registry.get('com.example/none', 'latest')).toEqual({ value: undefined, note: undefined });
  });

  it('refuses an address that is none', async () => {
    await using house = await openTestHouse({ env: { THIMBLE_REGISTRY_URL: 'file:///etc/passwd' } });
    expect(() => openRegistry(house)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS' }));
  });
});

describe('what the registry said before', () => {
  it('is not asked for again within an hour', async () => {
    const fixture = await startRegistry(SERVERS);
    const { registry, clock } = await open(fixture);
    await registry.get('com.example/calendar', 'latest');
    await registry.get('com.example/calendar', 'latest');
    expect(fixture.asked).toHaveLength(1);
    clock.now = new Date(clock.now.getTime() + 3_700_000);
    await registry.get('com.example/calendar', 'latest');
    expect(fixture.asked).toHaveLength(2);
  });

  it.each<Trouble>(['silent', 'error', 'busy', 'html'])(
    'is used with its age when it answers with %s',
    async (trouble) => {
      const fixture = await startRegistry(SERVERS);
      const { registry, impatient, clock } = await open(fixture);
      await registry.candidates('calendar');
      clock.now = new Date(clock.now.getTime() + 5 * 3_600_000);
      fixture.trouble = trouble;
      const told = await (trouble === 'silent' ? impatient : registry).candidates('calendar');
      expect(names(told.value)).toContain('com.example/calendar');
      expect(told.note).toMatch(/5 h ago/);
    },
  );

  it('answers other questions too while the registry cannot be asked', async () => {
    const fixture = await startRegistry(SERVERS);
    const { registry } = await open(fixture);
    await registry.candidates('com.example');
    fixture.trouble = 'error';
    const told = await registry.candidates('forecasts');
    expect(rankServers('forecasts', told.value)[0]?.server.name).toBe('com.example/weather-mcp-server');
    expect(told.note).toMatch(/cannot be asked now/);
  });

  it('is not believed when its file is broken', async () => {
    const fixture = await startRegistry(SERVERS);
    const { registry, house } = await open(fixture);
    await registry.get('com.example/calendar', 'latest');
    const folder = join(house.home, 'cache', 'registry');
    for (const file of await readdir(folder)) await writeFile(join(folder, file), '{"value":');
    expect((await registry.get('com.example/calendar', 'latest')).value?.version).toBe('1.0.0');
    expect(fixture.asked).toHaveLength(2);
  });
});

describe('a mirror', () => {
  async function openMirror(write: (folder: string) => Promise<void>): Promise<TestHouse> {
    const house = await openTestHouse({ env: { THIMBLE_REGISTRY_MIRROR: 'mirror' } });
    onTestFinished(() => house[Symbol.asyncDispose]());
    const folder = join(house.cwd, 'mirror');
    await mkdir(folder, { recursive: true });
    await write(folder);
    return house;
  }

  it('is read instead of the network, in any folder and any form', async () => {
    const house = await openMirror(async (folder) => {
      await mkdir(join(folder, 'deep'));
      await writeFile(join(folder, 'one.json'), JSON.stringify(server('com.example/one')));
      await writeFile(
        join(folder, 'deep', 'two.json'),
        JSON.stringify({ servers: [{ server: server('com.example/two') }] }),
      );
      await writeFile(
        join(folder, 'newer.json'),
        JSON.stringify([server('com.example/one', '', { version: '1.10.0' })]),
      );
      await writeFile(join(folder, 'readme.txt'), 'not this');
    });
    const registry = openRegistry(house);
    const { value, note } = await registry.candidates('one');
    expect(names(value).sort()).toEqual(['com.example/one', 'com.example/two']);
    expect(note).toContain(join(house.cwd, 'mirror'));
    expect((await registry.get('com.example/one', 'latest')).value?.version).toBe('1.10.0');
    expect((await registry.get('com.example/one', '1.0.0')).value?.version).toBe('1.0.0');
    expect((await registry.get('com.example/one', '9.9.9')).value).toBeUndefined();
  });

  it('says what is wrong with it', async () => {
    const house = await openMirror((folder) => writeFile(join(folder, 'bad.json'), '{'));
    await expect(openRegistry(house).candidates('x')).rejects.toMatchObject({
      code: 'REGISTRY_UNAVAILABLE',
      message: expect.stringMatching(/bad\.json is no JSON.*THIMBLE_REGISTRY_MIRROR/),
    });
  });

  it('orders versions by their numbers', () => {
    const versions = ['1.10.0', '1.9.0', '2.0.0-beta.2', '2.0.0', 'v1.9.1', '2.0.0-beta.10'];
    expect(versions.sort(compareVersions)).toEqual([
      '1.9.0',
      'v1.9.1',
      '1.10.0',
      '2.0.0-beta.2',
      '2.0.0-beta.10',
      '2.0.0',
    ]);
  });
});

describe('a document of a server', () => {
  it('is read in its first spelling too, with the names people chose left alone', () => {
    const found = parseServer({
      name: 'a.b/c',
      description: 'd',
      version_detail: { version: '2.0.0' },
      packages: [
        {
          registry_type: 'oci',
          identifier: 'acme/x',
          version: '1',
          runtime_arguments: [
            {
              type: 'named',
              name: '--mount',
              value: 'src={source_path}',
              variables: { source_path: { is_required: true } },
            },
          ],
          environment_variables: [{ name: 'KEY', is_required: true, is_secret: true }],
        },
      ],
      remotes: [{ transport_type: 'sse', url: 'https://x.example/sse' }],
    });
    expect(found).toMatchObject({
      version: '2.0.0',
      packages: [
        {
          registryType: 'oci',
          runtimeArguments: [{ variables: { source_path: { isRequired: true } } }],
          environmentVariables: [{ name: 'KEY', isRequired: true, isSecret: true }],
        },
      ],
      remotes: [{ type: 'sse' }],
    });
  });

  it('never makes the reader fall over, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, packages) => {
        parseServer(value);
        const found = parseServer({
          name: 'a/b',
          version: '1',
          packages,
          remotes: packages,
          repository: packages,
        });
        expect(found?.name).toBe('a/b');
      }),
    );
  });
});

describe('which servers are meant', () => {
  const all = SERVERS.flatMap((one) => parseServer(one) ?? []);
  const ranked = (query: string) => rankServers(query, all).map(({ server: { name } }) => name);

  it.each([
    ['io.github.other/github', 'io.github.other/github'],
    ['calendar', 'com.example/calendar'],
    ['weather', 'com.example/weather-mcp-server'],
    ['wether', 'com.example/weather-mcp-server'],
    ['githbu', 'io.github.acme/github'],
    ['pull request', 'io.github.acme/github'],
    ['appointment', 'com.example/calendar'],
    ['@x/calendar', 'com.example/calendar'],
  ])('%s means %s first', (query, first) => {
    expect(ranked(query)[0]).toBe(first);
  });

  it('leaves out what does not fit and what was taken out', () => {
    expect(ranked('zebra')).toEqual([]);
    expect(ranked('old')).toEqual([]);
  });

  it('is never guessed: a short name gives everything that has it', () => {
    expect(names(matchName('github', all))).toEqual(['io.github.acme/github', 'io.github.other/github']);
    expect(names(matchName('weather', all))).toEqual(['com.example/weather-mcp-server']);
    expect(names(matchName('@x/calendar', all))).toEqual(['com.example/calendar']);
    expect(matchName('git', all)).toEqual([]);
    const twice = [...all, ...[parseServer(server('com.squatter/weather')) ?? []].flat()];
    expect(names(matchName('weather', twice))).toHaveLength(2);
  });
});

it('says that it is waiting when the registry takes long, once', async () => {
  await using house = await openTestHouse({
    env: { THIMBLE_REGISTRY_URL: 'https://me:pw@registry.example/' },
  });
  const told: string[] = [];
  let release = () => {};
  const waiting = new Promise<void>((resolve) => {
    release = resolve;
  });
  const tell = (line: string) => {
    told.push(line);
    release();
  };
  // It answers only after somebody was told.
  const fetch = () => waiting.then(() => Response.json({ servers: [], metadata: {} }));
  await openRegistry({ ...house, tell, fetch }, { patienceMs: 5 }).candidates('weather city');
  expect(told).toEqual(['asking the registry at registry.example']);
});

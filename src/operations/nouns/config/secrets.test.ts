import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readFolder } from '../../../../test/support/read-folder.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { PreparedOperation } from '../../operation.ts';
import type { TestHouse } from '../../test-house.contract.ts';
import { PROFILE } from '../profile/operations.ts';
import { openConfigured, prepare } from './test-parts.contract.ts';

/** Twenty secrets, each marked, in all the places people put them. */
const mark = (number: number) => `Plant${String(number).padStart(2, '0')}xQ7`;
const PLANTED: JsonObject = {
  env: {
    command: 'a',
    env: {
      API_KEY: mark(1),
      GITHUB_TOKEN: `ghp_${mark(2)}abcdefghijk`,
      DB_PASSWORD: mark(3),
      AWS_SECRET_ACCESS_KEY: mark(4),
      DATABASE_URL: `postgres://app:${mark(5)}@db.example/x`,
      SESSION_COOKIE: mark(6),
      CREDENTIALS: mark(7),
    },
  },
  args: {
    command: 'b',
    args: [
      '--token',
      mark(8),
      `--api-key=${mark(9)}`,
      '-e',
      `CLIENT_SECRET=${mark(10)}`,
      `https://me:${mark(11)}@x.example`,
    ],
  },
  remote: {
    url: `https://x.example/mcp?api_key=${mark(12)}`,
    headers: { Authorization: `Bearer ${mark(13)}`, 'X-Api-Key': mark(14), Cookie: `session=${mark(15)}` },
  },
  login: {
    url: 'https://y.example/mcp',
    auth: { type: 'client-credentials', clientId: 'me', clientSecret: mark(16) },
  },
  user: { url: `https://me:${mark(17)}@z.example/mcp` },
};
const BUILTIN: JsonObject = { storage: { accessKeyId: mark(18), secretAccessKey: mark(19) } };

async function openPlanted(): Promise<TestHouse> {
  return openConfigured(JSON.stringify({ mcpServers: PLANTED, builtin: BUILTIN }, null, 2));
}

async function tellAll(house: TestHouse, prepared: PreparedOperation): Promise<string> {
  const said: unknown[] = [];
  for (const step of [() => prepared.plan(house), () => prepared.run(house)]) {
    try {
      said.push(await step());
    } catch (error) {
      said.push((error as Error).message, (error as { data?: unknown }).data);
    }
  }
  return JSON.stringify(said);
}

it('tells no planted secret in any answer, plan, error or export', async () => {
  await using house = await openPlanted();
  expect((await house.config.read()).config.upstreams.length).toBeGreaterThan(Object.keys(PLANTED).length);
  const asked: readonly PreparedOperation[] = [
    prepare('list', { all: true }),
    prepare('get', { key: 'mcpServers' }),
    prepare('get', { key: 'builtin' }),
    ...Object.keys(PLANTED).map((name) => prepare('get', { key: `mcpServers.${name}` })),
    prepare('export'),
    prepare('export', { path: 'x.json' }),
    prepare('set', { key: 'mcpServers.env.args', value: `["--password","${mark(20)}"]` }),
    prepare('set', { key: 'mcpServers.remote.url', value: `not-an-address-${mark(20)}` }),
    prepare('set', { key: 'mcpServers.env', value: `{"comand":"${mark(20)}"}` }),
    prepare('unset', { key: 'mcpServers.env.env.API_KEY' }),
    prepare('import', { path: 'x.json', dryRun: true }),
    prepare('import', { path: 'x.json', force: true }),
    ...PROFILE.map((operation) => operation.prepare(operation.examples[0] ?? {})),
  ];
  for (const each of asked) expect(await tellAll(house, each)).not.toMatch(/Plant\d\d/);
});

it('moves all planted secrets into the store, and no byte of them is to be read there', async () => {
  await using house = await openConfigured('{}');
  const folder = join(house.cwd, 'old');
  await mkdir(folder);
  await writeFile(join(folder, 'thimble.jsonc'), JSON.stringify({ mcpServers: PLANTED, builtin: BUILTIN }));
  expect(await tellAll(house, prepare('migrate', { path: 'old/thimble.jsonc' }))).not.toMatch(/Plant\d\d/);
  expect(await readFolder(house.home)).not.toMatch(/Plant\d\d/);
  const kept = [...(await (await house.secrets()).all()).values()].join('\n');
  for (let number = 1; number <= 19; number++) expect(kept).toContain(mark(number));
});

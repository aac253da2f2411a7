import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startRegistry } from '../../../../test/support/registry-server.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { House, RunningServer } from '../../house.ts';
import { openTestHouse } from '../../test-house.contract.ts';
import { SERVER } from './operations.ts';

const ECHO = fileURLToPath(new URL('../../../../test/fixtures/echo-server.mjs', import.meta.url));

/** Writes down all it was given and fails. */
const TELLTALE = 'console.error(JSON.stringify(process.env), process.argv.join(" ")); process.exit(1)';

/** Every value here is planted once and must be seen nowhere again. */
const PLANTED = {
  env: {
    GITHUB_TOKEN: 'ghp_9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e',
    OPENAI_API_KEY: 'sk-proj-Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0',
    DB_PASSWORD: 'correct-horse-battery',
    PASSPHRASE: 'open sesame please',
    SESSION_COOKIE: 'sid=7c6b5a49382716',
    AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY',
    SLACK: 'xoxb-1234567890-abcdefghijklmnop',
    JWT: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.c2lnbmF0dXJlLXBsYW50ZWQ',
    PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----\nMIIEplantedplantedplanted\n-----END PRIVATE KEY-----',
    DATABASE_URL: 'postgres://planted-user:planted-pass@db.example/app',
    CONNECTION: 'Server=db;User=me;Password=planted-dsn-password',
    WEBHOOK_URL: 'https://hooks.example.com/services/T00/B00/plantedplantedplantedpl',
    RANDOM: 'qW3eR5tY7uI9oP1aS3dF5gH7jK9l',
    HEX: '5f4dcc3b5aa765d61d8327deb882cf99',
  },
  args: {
    named: 'planted-named-argument',
    joined: 'planted-joined-argument',
    pair: 'planted-pair-argument',
    bare: 'glpat-plantedplantedplanted',
  },
  headers: {
    Authorization: 'Bearer planted-bearer-header',
    'X-Api-Key': 'planted-api-key-header',
    Cookie: 'planted=cookie-header',
  },
  url: 'planted-query-value',
  registry: 'planted-because-the-registry-says-so',
};

const SECRETS: readonly string[] = [
  ...Object.values(PLANTED.env).flatMap((value) => value.split('\n')[1] ?? value),
  ...Object.values(PLANTED.args),
  'planted-bearer-header',
  'planted-api-key-header',
  'cookie-header',
  'planted-user:planted-pass',
  'planted-dsn-password',
  PLANTED.url,
  PLANTED.registry,
].filter((value) => !value.startsWith('postgres') && !value.startsWith('Server='));

const ARGS = [
  '--token',
  PLANTED.args.named,
  `--password=${PLANTED.args.joined}`,
  '-e',
  `API_KEY=${PLANTED.args.pair}`,
  PLANTED.args.bare,
];

async function* filesOf(folder: string): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesOf(path);
    else if (entry.isFile()) yield path;
  }
}

it('twenty planted secrets are in no answer, plan, error, news or file', async () => {
  expect(new Set(SECRETS).size).toBeGreaterThanOrEqual(20);
  await using registry = await startRegistry([
    {
      name: 'com.acme/told',
      version: '1.0.0',
      description: 'd',
      packages: [
        {
          registryType: 'npm',
          identifier: 'told',
          version: '1.0.0',
          transport: { type: 'stdio' },
          packageArguments: [{ type: 'positional', valueHint: 'team', isRequired: true, isSecret: true }],
        },
      ],
    },
  ]);
  const said: string[] = [];
  const spoken: RunningServer = {
    ...{ id: 'program', state: 'online', says: 'is running', calls: 0, running: 0, queued: 0, restarts: 0 },
    stderr: [`I was given ${SECRETS.filter((secret) => secret !== PLANTED.registry).join(' and ')}`],
  };
  await using house = await openTestHouse({
    env: { THIMBLE_REGISTRY_URL: registry.url, PATH: '/nowhere' },
    fetch: globalThis.fetch,
    tell: (line) => void said.push(line),
    running: { processes: async () => [], servers: async () => [spoken], restart: async () => [] },
  });

  async function use(verb: string, args: JsonObject, place: House = house): Promise<void> {
    const operation = SERVER.find((one) => one.verb === verb);
    for (const step of ['plan', 'run'] as const) {
      try {
        said.push(JSON.stringify(await operation?.prepare(args)[step](place)));
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        said.push(`${error.message} ${JSON.stringify(error.data)} ${String(error.cause)}`);
      }
    }
  }

  const program = { command: process.execPath, args: [ECHO, ...ARGS], env: PLANTED.env };
  const telltale = { command: process.execPath, args: ['-e', TELLTALE, '--', ...ARGS], env: PLANTED.env };
  const address = { url: `http://127.0.0.1:9/mcp?api_key=${PLANTED.url}`, headers: PLANTED.headers };
  await use('create', { name: 'failing', ...telltale });
  await use('create', { name: 'program', ...program });
  await use('create', { name: 'telltale', ...telltale, untested: true });
  await use('create', { name: 'address', ...address });
  await use('create', { name: 'address', ...address, untested: true });
  await use('edit', { name: 'program', env: { NEW_TOKEN: PLANTED.args.named } });
  await use('edit', { name: 'telltale', env: { NEW_TOKEN: PLANTED.args.named } });
  await use('edit', { name: 'address', headers: PLANTED.headers, alias: 'moved', untested: true });
  await use('install', { name: 'told', env: { team: PLANTED.registry } });
  await use('test', {});
  for (const name of ['program', 'telltale', 'moved'])
    for (const verb of ['info', 'logs', 'disable', 'enable', 'test', 'usage']) await use(verb, { name });
  await use('list', {});

  expect(Object.keys((await house.config.read()).value['mcpServers'] as JsonObject)).toEqual([
    'program',
    'telltale',
    'moved',
  ]);
  const told = said.join('\n');
  expect(told).toContain('kept sealed');
  expect(
    SECRETS.filter((secret) => told.includes(secret) || told.includes(JSON.stringify(secret).slice(1, -1))),
  ).toEqual([]);
  for await (const path of filesOf(house.machine.userHome)) {
    const bytes = await readFile(path);
    expect(
      SECRETS.filter((secret) => bytes.includes(secret)),
      path,
    ).toEqual([]);
  }
  // They were kept all the same: the servers get them when they are started.
  const kept = [...(await (await house.secrets()).all()).values()].join('\n');
  expect(SECRETS.filter((secret) => secret !== PLANTED.registry && !kept.includes(secret))).toEqual([]);
}, 60_000);

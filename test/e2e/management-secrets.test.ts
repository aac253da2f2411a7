/** Planted secrets: they come in by every way there is, reach the servers that need them, and turn up nowhere else. */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { connectClient, type Managed, openManaged, say } from '../support/managed.ts';
import { eventually, fixture } from '../support/program.ts';
import { send } from '../support/raw-http.ts';

/** Each as somebody would meet it; the part between the marks is what must not be seen. */
const PLANTED = {
  envToken: 'ghp_planted01AbCdEfGh1234567890abcdef',
  header: 'planted02-header-value-9f8e7d',
  userinfo: 'planted03pass',
  query: 'planted04querykey',
  argEquals: 'planted05-arg-equals',
  argBeside: 'planted06-arg-beside',
  jsonMember: 'planted07-in-json-5a4b3c',
  dotEnv: 'planted08-dot-env-77aa',
  gitDiff: 'planted09-git-diff-88bb',
  mcpm: 'planted10-mcpm-99cc',
  cursor: 'planted11-cursor-11dd',
  vscode: 'planted12-vscode-22ee',
  codex: 'planted13-codex-33ff',
  claude: 'planted14-claude-44aa',
  goose: 'planted15-goose-55bb',
  install: 'planted16-install-66cc',
  edited: 'planted17-edited-77dd',
  dsn: 'planted18dsnpass',
  pem: 'planted19PemBodyAbCdEfGhIjKlMnOpQrStUvWxYz0123456789',
  imported: 'planted20-imported-88ee',
  nameless: 'planted21-nameless-99ff',
  setting: 'planted22-setting-00aa',
  stderr: 'planted23-stderr-11bb',
  wrong: 'planted24-wrong-22cc',
  projectFile: 'planted25-project-33dd',
} as const;

let managed: Managed;
let spy: string;
/** Everything anybody was told, with who was. */
const told: (readonly [where: string, text: string])[] = [];
const note = (where: string, text: string) => void told.push([where, text]);

beforeAll(async () => {
  managed = await openManaged({ serve: ['--verbose', '--log-format', 'json'] });
  spy = join(managed.place.dir, 'spy.mjs');
  await writeFile(spy, SPY(fixture('serve.mjs')));
  // The first request makes the token.
  await send(`${managed.served.url}/api`);
});
afterAll(() => managed[Symbol.asyncDispose]());

/** A server that tells of its environment and arguments no more than what they hash to. */
const SPY = (base: string) => `
import { createHash } from 'node:crypto';
import { serve } from ${JSON.stringify(base)};
const hash = (text) => createHash('sha256').update(text).digest('hex');
serve({
  info: { name: 'spy', version: '1.0.0' },
  capabilities: { tools: {} },
  methods: {
    'tools/list': () => ({ tools: [{ name: 'spy', inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: JSON.stringify([...Object.values(process.env), ...process.argv].map(hash)) }] }),
  },
});
`;

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

async function run(...words: string[]) {
  const ran = await managed.run(...words);
  note(`thimble ${words.slice(0, 3).join(' ')}`, ran.out + ran.err);
  return ran;
}

async function api(path: string, body: JsonObject) {
  const token = (await readFile(join(managed.place.home, 'admin-token'), 'utf8')).trim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await send(`${managed.served.url}/api/${path}`, { method: 'POST', headers, body });
  note(`POST /api/${path}`, answer.text);
  return answer;
}

async function mcp(noun: string, args: Record<string, unknown>) {
  const client = await connectClient(`${managed.served.url}/s/manage/mcp`, 'legacy', undefined);
  const said = await say(client, `thimble_${noun}`, args);
  await client.close();
  note(`thimble_${noun} ${String(args['action'])}`, said.text);
  return said;
}

async function approve(text: string) {
  const id = /thimble approve (\w+)/.exec(text)?.[1] ?? '';
  await run('approve');
  await run('approve', '--json');
  await run('approve', id);
  return run('approve', id, '--yes', '--json');
}

async function put(path: string, text: string) {
  const file = join(managed.place.dir, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

it('takes secrets in at the command line', async () => {
  const words = ['--command', process.execPath, '--args', spy, '--untested', '--yes'];
  const pem = `-----BEGIN PRIVATE KEY-----\n${PLANTED.pem}\n-----END PRIVATE KEY-----`;
  const lines: readonly (readonly string[])[] = [
    ['a-env', ...words, '--env', `GITHUB_TOKEN=${PLANTED.envToken}`, '--env', `KEY_PEM=${pem}`],
    ['a-dsn', ...words, '--env', `DATABASE_URL=postgres://ada:${PLANTED.dsn}@db.example/x`],
    ['a-json', ...words, '--env', `OPTIONS=${JSON.stringify({ api: { apiKey: PLANTED.jsonMember } })}`],
    [
      'a-args',
      ...words,
      '--args',
      `--token=${PLANTED.argEquals}`,
      '--args',
      '--password',
      '--args',
      PLANTED.argBeside,
    ],
    [
      'a-head',
      '--url',
      'http://127.0.0.1:9/mcp',
      '--headers',
      `Authorization=Bearer ${PLANTED.header}`,
      '--untested',
      '--yes',
    ],
    ['a-user', '--url', `http://ada:${PLANTED.userinfo}@127.0.0.1:9/mcp`, '--untested', '--yes'],
    ['a-query', '--url', `http://127.0.0.1:9/mcp?api_key=${PLANTED.query}&x=1`, '--untested', '--yes'],
  ];
  for (const line of lines) {
    await run('server', 'create', ...line.filter((word) => word !== '--yes'));
    await run('server', 'create', ...line, '--dry-run');
    const ran = await run('server', 'create', ...line, '--json');
    expect(ran, ran.out + ran.err).toMatchObject({ code: 0 });
    for (const more of [[], ['--json']]) await run('server', 'info', line[0] ?? '', ...more);
  }
  // The name was forgotten; the value must not be repeated.
  expect(await run('server', 'edit', 'a-env', '--env', PLANTED.nameless, '--yes')).toMatchObject({ code: 2 });
  await run('config', 'set', 'mcpServers.a-env.env.SPARE_TOKEN', PLANTED.setting, '--yes', '--json');
  await run('config', 'get', 'mcpServers.a-env');
});

it('hides what a server that does not start says about its secrets', async () => {
  const script = 'console.error("bad key " + process.env.X_KEY); process.exit(1)';
  const words = [
    '--command',
    process.execPath,
    '--args',
    '-e',
    '--args',
    script,
    '--env',
    `X_KEY=${PLANTED.stderr}`,
  ];
  const ran = await run('server', 'create', 'a-dead', ...words, '--yes');
  expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('bad key') });
  const config = await readFile(managed.place.config, 'utf8');
  expect(config).not.toContain('a-dead');
});

it('takes secrets in over MCP and HTTP, and shows them to nobody who approves', async () => {
  const install = { action: 'install', name: 'weather', env: { WEATHER_KEY: PLANTED.install } };
  expect(await approve((await mcp('server', install)).text)).toMatchObject({ code: 0 });
  expect(await mcp('server', install)).toMatchObject({ isError: false });
  const edit = { name: 'a-dsn', env: { EXTRA_TOKEN: PLANTED.edited }, untested: true };
  expect(await approve((await api('server/edit', edit)).text)).toMatchObject({ code: 0 });
  expect(await api('server/edit', edit)).toMatchObject({ status: 200 });
  for (const env of [{ A_TOKEN: { deep: PLANTED.wrong } }, PLANTED.wrong, [PLANTED.wrong]]) {
    expect((await api('server/edit', { name: 'a-dsn', env })).status).toBe(400);
    expect(await mcp('server', { action: 'edit', name: 'a-dsn', env })).toMatchObject({ isError: true });
  }
  await api('server/edit', { name: 'a-dsn', secret: PLANTED.wrong });
  await api('client/edit', { name: 'cursor', server: 'lamp', env: { LAMP_TOKEN: PLANTED.wrong } });
});

it('takes secrets in from other programs, and shows what would change without them', async () => {
  // Each with a word of its own, so that none is taken for the same server as another.
  const entry = (as: string, env: string) => ({
    command: process.execPath,
    args: [spy, as],
    env: { SOME_TOKEN: env },
  });
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  await put('.cursor/mcp.json', json({ mcpServers: { 'c-cursor': entry('cursor', PLANTED.cursor) } }));
  await put(
    '.config/Code/User/mcp.json',
    json({
      servers: {
        'c-code': {
          type: 'http',
          url: 'http://127.0.0.1:9/mcp',
          headers: { Authorization: `Bearer ${PLANTED.vscode}` },
        },
      },
    }),
  );
  await put(
    '.codex/config.toml',
    `[mcp_servers.c-codex]\ncommand = "node"\nargs = ["${spy}", "codex"]\n[mcp_servers.c-codex.env]\nCODEX_API_KEY = "${PLANTED.codex}"\n`,
  );
  await put(
    '.config/Claude/claude_desktop_config.json',
    json({ mcpServers: { 'c-claude': { command: 'node', args: [spy, '--api-key', PLANTED.claude] } } }),
  );
  await put(
    '.config/goose/config.yaml',
    `extensions:\n  c-goose:\n    name: c-goose\n    type: stdio\n    cmd: node\n    args:\n      - ${spy}\n      - goose\n    envs:\n      GOOSE_TOKEN: ${PLANTED.goose}\n    enabled: true\n`,
  );
  await put(
    '.config/mcpm/servers.json',
    json({
      'c-mcpm': { name: 'c-mcpm', command: 'node', args: [spy, 'mcpm'], env: { MCPM_SECRET: PLANTED.mcpm } },
    }),
  );
  await put(
    'given.json',
    json({ format: 'thimble-config', version: 1, servers: { 'c-given': entry('given', PLANTED.imported) } }),
  );
  for (const words of [
    ['client', 'list'],
    ['client', 'import', 'all', '--dry-run'],
    ['client', 'import', 'all'],
    ['init', '--dry-run'],
    ['config', 'migrate', '--dry-run'],
    ['config', 'import', 'given.json', '--dry-run'],
  ])
    for (const more of [[], ['--json']]) await run(...words, ...more);
  await mcp('client', { action: 'import', name: 'all' });
  await mcp('system', { action: 'bootstrap' });
  await mcp('config', { action: 'migrate' });
  await api('client/list', {});
  expect(await run('config', 'migrate', '--yes', '--json')).toMatchObject({ code: 0 });
  const given = await run('config', 'import', 'given.json', '--yes', '--json');
  expect(given, given.out + given.err).toMatchObject({ code: 0 });
  expect(await run('init', '--yes', '--no-tokens')).toMatchObject({ code: 0 });
  const list = await run('server', 'list');
  for (const name of ['c-cursor', 'c-code', 'c-codex', 'c-claude', 'c-goose', 'c-mcpm', 'c-given'])
    expect(list.out).toContain(name);
});

it('shows the project without its secrets', async () => {
  const git = (...words: string[]) =>
    promisify(execFile)('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...words], {
      cwd: managed.place.dir,
    });
  await put('src/settings.py', 'API_KEY = "none"\n');
  await git('add', 'src');
  await git('commit', '-qm', 'start');
  await put(
    'src/settings.py',
    `API_KEY = "${PLANTED.gitDiff}"\nurl = "https://ada:${PLANTED.gitDiff}@example.com"\n`,
  );
  await put('.env', `STRIPE_SECRET_KEY=${PLANTED.dotEnv}\n`);
  await put(
    'package.json',
    JSON.stringify({
      name: 'x',
      scripts: { deploy: `deploy --token=${PLANTED.projectFile}` },
      dependencies: { stripe: '1' },
    }),
  );
  await git('add', '-f', '.env', 'package.json');
  for (const words of [
    ['analyze'],
    ['diff'],
    ['diff', '--staged'],
    ['devops', '--type', 'node', '--force', '--dry-run'],
  ])
    for (const more of [[], ['--json']]) await run('project', ...words, ...more);
  await run('profile', 'suggest');
  await mcp('project', { action: 'diff', staged: true });
  const diff = await mcp('project', { action: 'diff' });
  expect(diff.text).toContain('settings.py');
});

it('writes exports, shares and connections without them', async () => {
  await run('config', 'export');
  await run('config', 'export', 'export.json', '--yes', '--json');
  note('export.json', await readFile(join(managed.place.dir, 'export.json'), 'utf8'));
  const { text } = await mcp('share', { action: 'start', name: 'a-env' });
  await approve(text);
  for (const words of [
    ['check_status'],
    ['server', 'list'],
    ['config', 'list', '--all'],
    ['client', 'list'],
    ['share', 'list'],
    ['system', 'doctor'],
    ['ps'],
    ['mcp-config', '--stdout'],
    ['client', 'disconnect', 'all', '--dry-run'],
    ['server', 'test', '--dry-run'],
  ])
    for (const more of [[], ['--json']]) await run(...words, ...more);
  await run('server', 'search', 'weather');
  await run('server', 'usage');
  await api('config/export', {});
  await api('config/get', { key: 'mcpServers' });
  await api('config/list', { all: true });
});

it('gives every server what it needs', async () => {
  const needs: readonly (readonly [string, readonly string[]])[] = [
    ['a-env', [PLANTED.envToken, PLANTED.setting]],
    ['a-dsn', [`postgres://ada:${PLANTED.dsn}@db.example/x`, PLANTED.edited]],
    ['a-json', [JSON.stringify({ api: { apiKey: PLANTED.jsonMember } })]],
    ['a-args', [`--token=${PLANTED.argEquals}`, PLANTED.argBeside]],
    ['c-cursor', [PLANTED.cursor]],
    ['c-codex', [PLANTED.codex]],
    ['c-claude', [PLANTED.claude]],
    ['c-goose', [PLANTED.goose]],
    ['c-mcpm', [PLANTED.mcpm]],
    ['c-given', [PLANTED.imported]],
  ];
  for (const [name, values] of needs) {
    const client = await connectClient(`${managed.served.url}/s/${name}/mcp`, 'legacy', undefined);
    const { text } = await say(client, 'spy', {});
    await client.close();
    for (const value of values) expect(text, name).toContain(hash(value));
  }
});

it('leaves no trace in anything that was said, in logs, in the configuration or in the database', async () => {
  const { place, served } = managed;
  await eventually('the log has something to say', () => served.output().includes('"level"'));
  note('the log', served.output());
  note('thimble.jsonc', await readFile(place.config, 'utf8'));
  for (const name of await readdir(place.home))
    if (/^thimble\.db/.test(name)) note(name, await readFile(join(place.home, name), 'latin1'));
  expect(existsSync(join(place.home, 'thimble.db'))).toBe(true);
  const leaks = Object.entries(PLANTED).flatMap(([name, value]) =>
    told.filter(([, text]) => text.includes(value)).map(([where]) => `${name} in ${where}`),
  );
  expect([...new Set(leaks)]).toEqual([]);
  expect(Object.keys(PLANTED).length).toBeGreaterThanOrEqual(20);
  expect(told.length).toBeGreaterThan(100);
});

it('hides from everybody who manages what a server says of its secrets while it ends again and again', async () => {
  const script = (key: string) => `console.error("bad key " + process.env.${key}); process.exit(1)`;
  const dying = (key: string, value: string) => ({
    command: process.execPath,
    args: ['-e', script(key)],
    env: { [key]: value },
  });
  // One secret as management keeps it, one as somebody wrote it down, and one that only the shell knows.
  const values = ['planted-sealed-44ee', 'planted-written-55ff', 'planted-shell-66aa'];
  const [sealed = '', written = '', shell = ''] = values;
  await using machine = await openManaged({
    servers: { written: dying('W_KEY', written), shell: dying('S_KEY', '$'.concat('{env:SHELL_KEY}')) },
    env: { SHELL_KEY: shell },
  });
  const given = dying('K_KEY', sealed);
  const words = ['--command', given.command, '--args=-e', `--args=${script('K_KEY')}`, '--untested', '--yes'];
  const made = await machine.run('server', 'create', 'sealed', ...words, '--env', `K_KEY=${sealed}`);
  expect(made, made.out + made.err).toMatchObject({ code: 0 });
  const names = ['sealed', 'written', 'shell'];
  await eventually('all of them have said it', async () => {
    const { out } = await machine.run('check_status', '--json');
    const { errors } = JSON.parse(out) as { readonly errors: readonly { readonly name: string }[] };
    return names.every((name) => errors.some((error) => error.name === name));
  });
  const said: string[] = [];
  const lines = ['check_status', 'server list', 'system doctor', 'system restart --yes', 'server test --yes'];
  await machine.run('profile', 'create', 'dying', ...names, '--yes');
  lines.push('profile restart dying --yes', 'system restart_infra --yes');
  for (const line of [...lines, ...names.flatMap((name) => [`server info ${name}`, `server logs ${name}`])])
    for (const more of [[], ['--json']]) {
      const { out, err } = await machine.run(...line.split(' '), ...more);
      said.push(out, err);
    }
  const client = await connectClient(`${machine.served.url}/s/manage/mcp`, 'legacy', undefined);
  said.push((await say(client, 'thimble_check_status', {})).text);
  for (const name of names) said.push((await say(client, 'thimble_server', { action: 'logs', name })).text);
  await client.close();
  expect(said.join('\n')).toContain('bad key (hidden)');
  for (const value of values) expect(said.filter((text) => text.includes(value))).toEqual([]);
});

/** Management by agents: eight tools, every action of the 24 tools that were, and a person who agrees. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { connectClient, type Managed, openManaged, say } from '../support/managed.ts';

let managed: Managed;
beforeAll(async () => {
  managed = await openManaged();
});
afterAll(() => managed[Symbol.asyncDispose]());

const address = (path = '/mcp/direct') => `${managed.served.url}${path}`;
const asked: string[] = [];
const yes = (message: string) => {
  asked.push(message);
  return 'accept' as const;
};

/** The table of 24 tools, row by row: what the tool was, what it is, and an input that works here. */
const ROWS: readonly (readonly [
  former: string,
  noun: string,
  args: Record<string, unknown>,
  says: RegExp,
])[] = [
  ['check_status', 'check_status', {}, /Servers:/],
  ['list_servers', 'server', { action: 'list' }, /desk/],
  ['server_info', 'server', { action: 'info', name: 'desk' }, /desk/],
  ['search_servers', 'server', { action: 'search', query: 'weather' }, /io\.github\.example\/weather/],
  [
    'install_server',
    'server',
    { action: 'install', name: 'weather', env: { WEATHER_KEY: 'planted-key-1' } },
    /weather/,
  ],
  [
    'create_server',
    'server',
    { action: 'create', name: 'own', command: process.execPath, args: ['--version'], untested: true },
    /own/,
  ],
  ['edit_server', 'server', { action: 'edit', name: 'own', args: ['-v'], untested: true }, /own/],
  ['usage_stats', 'server', { action: 'usage' }, /./],
  ['uninstall_server', 'server', { action: 'uninstall', name: 'own' }, /own/],
  ['manage_profile(ls)', 'profile', { action: 'list' }, /work/],
  ['manage_profile(create)', 'profile', { action: 'create', name: 'play', servers: ['desk'] }, /play/],
  ['manage_profile(edit)', 'profile', { action: 'edit', name: 'play', rename: 'fun' }, /fun/],
  ['manage_profile(delete)', 'profile', { action: 'delete', name: 'fun' }, /fun/],
  ['suggest_profile', 'profile', { action: 'suggest' }, /./],
  ['restart_profiles', 'profile', { action: 'restart', name: 'work' }, /./],
  ['manage_client(ls)', 'client', { action: 'list' }, /cursor/],
  ['manage_client(import)', 'client', { action: 'import', name: 'cursor' }, /lamp/],
  ['manage_client(edit)', 'client', { action: 'edit', name: 'cursor', add: ['desk'] }, /cursor|Cursor/],
  ['manage_client(config)', 'client', { action: 'config', name: 'cursor' }, /mcp\.json/],
  ['manage_config(get)', 'config', { action: 'get', key: 'http.port' }, /7420/],
  ['manage_config(set)', 'config', { action: 'set', key: 'names.maxLength', value: '50' }, /50/],
  ['manage_config(ls)', 'config', { action: 'list' }, /names\.maxLength/],
  ['migrate_config', 'config', { action: 'migrate', path: '.cursor/mcp.json', dryRun: true }, /./],
  ['analyze_project', 'project', { action: 'analyze' }, /./],
  ['fetch_diff_context', 'project', { action: 'diff' }, /./],
  ['apply_devops_stack', 'project', { action: 'devops', type: 'node' }, /gitignore/],
  ['restart_service', 'system', { action: 'restart' }, /./],
  ['restart_infrastructure', 'system', { action: 'restart_infra' }, /./],
  ['share_server', 'share', { action: 'start', name: 'desk' }, /\/i\/desk\/mcp/],
  ['list_shared_servers', 'share', { action: 'list' }, /desk/],
  ['stop_sharing_server', 'share', { action: 'stop', name: 'desk' }, /desk/],
  ['bootstrap_system', 'system', { action: 'bootstrap' }, /cursor/],
];

describe('the tools of manage', () => {
  it.each(ROWS)('do what %s did', async (_former, noun, args, says) => {
    await using client = await connect('legacy', yes);
    const { text, isError } = await say(client.client, `thimble_${noun}`, args);
    expect({ text, isError }).toMatchObject({ text: expect.stringMatching(says), isError: false });
    expect(text).not.toContain('planted-key-1');
  });

  it('asked the person before everything that acts, with what would be done', () => {
    expect(asked.find((message) => message.includes('weather'))).toMatch(/npx/);
    expect(asked.find((message) => message.includes('share desk') || message.includes('/i/desk'))).toMatch(
      /\/i\/desk\/mcp/,
    );
    expect(asked.join()).not.toContain('planted-key-1');
  });

  it.each(['direct', 'search', 'category', 'router', 'activate', 'noun', 'auto'])(
    'are known by their old names only in the error that tells the new ones, in the mode %s',
    async (mode) => {
      const client = await connectClient(address(`/mcp/${mode}`), 'legacy', undefined);
      onTestFinished(() => client.close());
      const said = await client.callTool({ name: 'list_servers', arguments: {} }).then(
        ({ isError, content: [part] }) => (isError && part?.type === 'text' ? part.text : 'no error'),
        (error: Error) => error.message,
      );
      expect(said).toContain('"list_servers" is called differently here: use thimble_server action=list');
    },
  );

  it('are a server like others: at an address of its own, found by search, reached by category', async () => {
    const own = await connectClient(address('/s/manage/mcp'), 'legacy', undefined);
    expect((await own.listTools()).tools).toHaveLength(8);
    const search = await connectClient(address('/mcp/search'), 'legacy', undefined);
    const found = await say(search, 'discover_mcp_tools', { query: 'install a server' });
    expect(found.text).toContain('manage:thimble_server');
    const category = await connectClient(address('/mcp/router'), 'legacy', undefined);
    const tools = await say(category, 'thimble_tools', {
      action: 'manage.thimble_check_status',
      params: {},
    });
    expect(tools.text).toMatch(/Servers:/);
    for (const client of [own, search, category]) await client.close();
  });
});

describe.each(['legacy', 'modern'] as const)('a person behind a %s client', (era) => {
  const create = (name: string) => ({
    action: 'create',
    name: `${name}-${era}`,
    command: process.execPath,
    args: ['--version'],
    untested: true,
  });
  const isThere = async (name: string) =>
    (await readFile(managed.place.config, 'utf8')).includes(`"${name}-${era}"`);

  it('is not taken for them without the local token: whoever says yes there may be anybody', async () => {
    const client = await connectClient(address(), era, () => 'accept');
    const { text } = await say(client, 'thimble_server', create('stranger'));
    expect(text).toContain('Not done yet');
    expect(await isThere('stranger')).toBe(false);
    await client.close();
  });

  it('is asked, and what they refuse is not done', async () => {
    await using client = await connect(era, () => 'decline');
    const { text, isError } = await say(client.client, 'thimble_server', create('refused'));
    expect(isError).toBe(true);
    expect(text).toContain('the person said no');
    expect(await isThere('refused')).toBe(false);
  });

  it('is asked, and what they agree to is done', async () => {
    await using client = await connect(era, yes);
    expect(await say(client.client, 'thimble_server', create('agreed'))).toMatchObject({ isError: false });
    expect(await isThere('agreed')).toBe(true);
  });

  it('who cannot be asked there finds it at the terminal, and asking again gives the result', async () => {
    await using client = await connect(era, undefined);
    const { text } = await say(client.client, 'thimble_server', create('later'));
    const id = /thimble approve (\w+)/.exec(text)?.[1] ?? '';
    expect(text).toContain('Not done yet');
    expect(await isThere('later')).toBe(false);
    expect(await say(client.client, 'thimble_server', create('later'))).toMatchObject({
      text: expect.stringContaining(`thimble approve ${id}`),
    });
    const listed = await managed.run('approve');
    expect(listed.out).toContain(id);
    expect((await managed.run('approve', id)).code).toBe(3);
    expect(await isThere('later')).toBe(false);
    expect(await managed.run('approve', id, '--yes')).toMatchObject({ code: 0 });
    expect(await isThere('later')).toBe(true);
    expect(await say(client.client, 'thimble_server', create('later'))).toMatchObject({
      text: expect.not.stringContaining('Not done yet'),
      isError: false,
    });
  });
});

describe('the rest of the machine', () => {
  it('holds a planted key in no file, log or database', async () => {
    const { place, served } = managed;
    expect(served.output()).not.toContain('planted-key-1');
    expect(await readFile(place.config, 'utf8')).not.toContain('planted-key-1');
    for (const name of ['thimble.db', 'thimble.db-wal', 'admin-token']) {
      const path = join(place.home, name);
      if (existsSync(path)) expect((await readFile(path)).includes('planted-key-1')).toBe(false);
    }
  });
});

async function connect(era: 'legacy' | 'modern', answering: Parameters<typeof connectClient>[2]) {
  const token = (await readFile(join(managed.place.home, 'admin-token'), 'utf8')).trim();
  const client = await connectClient(address(), era, answering, token);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

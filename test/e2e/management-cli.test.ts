/** The command line of management as scripts, shells and people meet it: JSON, exit codes, help, completion and `.mcp.json`. */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/registry.ts';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { loadOperations, NOUNS } from '../../src/operations/nouns/registry.ts';
import { connectClient, echo, type Managed, openManaged, type Ran, say } from '../support/managed.ts';
import { PROGRAM, stop } from '../support/program.ts';

let managed: Managed;
beforeAll(async () => {
  managed = await openManaged({
    servers: { spare: echo('spare') },
  });
});
afterAll(() => managed[Symbol.asyncDispose]());

const OPERATIONS = await loadOperations();
const words = (line: string) => line.split(' ').filter((word) => word !== '');
const parse = ({ out, err }: Ran, line: string): unknown => {
  try {
    return JSON.parse(out);
  } catch {
    throw new Error(`${line} printed no JSON: ${out}${err}`);
  }
};

/** A line that works for every operation, in an order that leaves the next what it needs. */
const LINES: readonly string[] = [
  'check_status',
  'server list',
  'server info desk',
  'server search weather',
  'server create own --command node --args --version --untested --yes',
  'server edit own --args -v --untested --yes',
  'server disable own',
  'server enable own --yes',
  'server uninstall own --yes',
  'server install weather --env WEATHER_KEY=planted-1 --yes',
  'server test desk --yes',
  'server logs desk',
  'server usage',
  'profile list',
  'profile create play desk --yes',
  'profile edit play --rename fun --yes',
  'profile restart fun --yes',
  'profile delete fun',
  'profile suggest',
  'client list',
  'client import cursor --yes',
  'client connect cursor --yes',
  'client edit cursor --add desk --yes',
  'client config cursor',
  'client disconnect cursor --yes',
  'config get http.port',
  'config set names.maxLength 50 --yes',
  'config unset names.maxLength --yes',
  'config list',
  'config migrate .cursor/mcp.json --dry-run',
  'config export out.json --yes',
  'config import out.json --dry-run',
  'project analyze',
  'project diff',
  'project devops --type node --yes',
  'system restart --yes',
  'system restart_infra --yes',
  'system bootstrap --yes',
  'share start desk --yes',
  'share list',
  'share stop desk',
];

describe('--json', () => {
  it('is asked of every operation here, and of every command that answers', () => {
    const asked = LINES.map((line) => line.split(' ').slice(0, 2).join(' '));
    const all = OPERATIONS.map(({ noun, verb }) => (noun === 'check_status' ? noun : `${noun} ${verb}`));
    expect([...asked, 'system doctor'].sort()).toEqual([...all].sort());
  });

  it.each(LINES)('thimble %s --json prints one JSON document, without colours', async (line) => {
    const ran = await managed.run(...words(line), '--json');
    expect(ran, ran.out + ran.err).toMatchObject({ code: 0 });
    expect(parse(ran, line)).toEqual(expect.any(Object));
    expect(ran.out + ran.err).not.toContain('\u001B');
    expect(ran.out + ran.err).not.toContain('planted-1');
  });

  it('shows plans as data, and does nothing then', async () => {
    const before = await readFile(managed.place.config, 'utf8');
    for (const line of ['server uninstall spare', 'client connect cursor', 'share start desk', 'init']) {
      const { plan } = parse(await managed.run(...words(line), '--dry-run', '--json'), line) as {
        plan: object;
      };
      expect(plan ?? {}, line).toEqual(expect.any(Object));
    }
    expect(await readFile(managed.place.config, 'utf8')).toBe(before);
    expect((await managed.run('share', 'list')).out).toContain('Nothing is shared');
  });

  it.each([
    ['find desk --json', 0],
    ['tokens --json', 0],
    ['guide --json', 0],
    ['explain --json', 0],
    ['ps --json', 0],
    ['restart desk --json', 0],
    ['approve --json', 0],
    ['mcp-config --json', 0],
    ['mcp-config --combined --json', 0],
    ['completion bash --json', 0],
    ['completion words --json -- serv', 0],
    ['doctor --json', 0],
    ['login desk --json', 1],
    ['approve nosuch --json', 4],
    ['server info nosuch --json', 4],
    ['server uninstall spare --json', 3],
    ['client connect nosuch --json', 4],
    ['mcp-config --file /dev/null/x --json --stdout', 0],
  ])('thimble %s is JSON and ends with %d', async (line, code) => {
    const ran = await managed.run(...words(line));
    expect(parse(ran, line)).toEqual(expect.any(Object));
    expect(ran.code, ran.out).toBe(code);
  });

  it('holds for what was refused, undone and served', async () => {
    const client = await connectClient(`${managed.served.url}/s/manage/mcp`, 'legacy', undefined);
    const left = await say(client, 'thimble_server', { action: 'uninstall', name: 'spare' });
    await client.close();
    const id = /thimble approve (\w+)/.exec(left.text)?.[1] ?? '';
    expect(parse(await managed.run('approve', id, '--refuse', '--json'), 'refuse')).toMatchObject({
      id,
      refused: true,
    });
    expect((await managed.run('init', '--yes', '--no-tokens')).code).toBe(0);
    const file = join(managed.place.dir, '.cursor/mcp.json');
    const connected = await readFile(file, 'utf8');
    expect(parse(await managed.run('init', '--undo', '--dry-run', '--yes', '--json'), 'undo')).toMatchObject({
      plan: { summary: expect.stringContaining('cursor') },
    });
    expect(await readFile(file, 'utf8')).toBe(connected);
    expect(parse(await managed.run('init', '--undo', '--yes', '--json'), 'undo')).toMatchObject({
      clients: [{ key: 'cursor' }],
    });
    const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', '--json'], {
      cwd: managed.place.dir,
      env: { ...managed.env, THIMBLE_HOME: join(managed.place.dir, 'other') },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    for await (const chunk of child.stdout) {
      text += String(chunk);
      if (text.trimEnd().endsWith('\n}')) break;
    }
    await stop(child);
    expect(JSON.parse(text)).toMatchObject({ url: expect.stringContaining('http://127.0.0.1:') });
  });
});

describe('exit codes', () => {
  beforeAll(async () => {
    const words = ['create', 'broken', '--command', 'surely-no-such-program', '--untested', '--yes'];
    expect((await managed.run('server', ...words)).code).toBe(0);
  });

  it.each([
    [EXIT_CODES.ok.code, 'config get http.port'],
    [EXIT_CODES.failed.code, 'server test broken --yes'],
    [EXIT_CODES.failed.code, 'mcp-config --file . --yes'],
    [EXIT_CODES.usage.code, 'server info'],
    [EXIT_CODES.usage.code, 'server list --colour'],
    [EXIT_CODES.usage.code, 'servr list'],
    [EXIT_CODES.usage.code, 'share start desk --hours many --yes'],
    [EXIT_CODES.consent.code, 'server uninstall spare'],
    [EXIT_CODES.unknown.code, 'server info nosuch'],
    [EXIT_CODES.unknown.code, 'approve nosuch'],
  ])('%d: thimble %s', async (code, line) => {
    const ran = await managed.run(...words(line));
    expect(ran.code, ran.out + ran.err).toBe(code);
    if (code !== 0) expect(ran.out + ran.err).toMatch(/\S{3,}/);
    expect(ran.err).not.toMatch(/\n {4}at /);
  });

  it('5 when the registry is not there for the moment', async () => {
    managed.registry.trouble = 'error';
    const other = join(managed.place.dir, 'without-answers');
    const ran = await managed.run('server', 'search', 'something-new', '--home', other);
    managed.registry.trouble = 'none';
    expect(ran, ran.out + ran.err).toMatchObject({ code: EXIT_CODES.later.code });
  });
});

describe('help', () => {
  const pages: readonly string[] = [
    ...Object.keys(COMMANDS),
    ...NOUNS.map(({ name }) => name),
    ...OPERATIONS.map(({ noun, verb }) => (noun === 'check_status' ? noun : `${noun} ${verb}`)),
    ...OPERATIONS.flatMap(({ short }) => short ?? []),
  ];

  it('of every command, noun and operation has examples and no colours', { timeout: 600_000 }, async () => {
    for (const page of ['', ...pages]) {
      const { code, out } = await managed.run(...words(page), '--help');
      expect([page, code]).toEqual([page, 0]);
      expect(out, page).toMatch(/Examples:\n {2}.*\bthimble /);
      expect(out, page).not.toContain('\u001B');
    }
  });
});

describe('completion', () => {
  /** What bash would offer for the words so far, the last of them being typed. */
  async function complete(...typed: string[]): Promise<readonly string[]> {
    const list = ['thimble', ...typed].map((word) => `'${word}'`).join(' ');
    const script = [
      `thimble() { ${JSON.stringify(process.execPath)} ${JSON.stringify(PROGRAM)} "$@"; }`,
      'source <(thimble completion bash)',
      'complete -p thimble >&2',
      `COMP_WORDS=(${list}); COMP_CWORD=${typed.length}`,
      '_thimble',
      `printf '%s\\n' "\${COMPREPLY[@]}"`,
    ].join('\n');
    const options = { cwd: managed.place.dir, env: managed.env };
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', script], options);
    expect(stderr).toContain('_thimble');
    return stdout.split('\n').filter((line) => line !== '');
  }

  it('gives bash commands, verbs, options and the names of what there is', async () => {
    expect(await complete('serv')).toEqual(['serve', 'server']);
    expect(await complete('server', 'un')).toEqual(['uninstall']);
    expect(await complete('server', 'info', 'd')).toEqual(['desk']);
    expect(await complete('info', 'sp')).toEqual(['spare']);
    expect(await complete('client', 'connect', 'cur')).toEqual(['cursor']);
    expect(await complete('share', 'start', '--h')).toEqual(['--help', '--home', '--hours']);
    expect(await complete('profile', 'delete', 'w')).toEqual(['work']);
    expect(await complete('completion', '')).toEqual(['bash', 'fish', 'zsh']);
    expect(await complete('profile', 'create', 'x', 'desk', 's')).toEqual(['sharing', 'spare', 'storage']);
    expect(await complete('server', 'search', '')).toEqual([]);
  });

  it('runs nothing of what is being typed', async () => {
    const canary = join(managed.place.dir, 'canary');
    for (const word of [`$(touch ${canary})`, `\`touch ${canary}\``, `;touch ${canary}`])
      expect(await complete('server', 'info', word)).toEqual([]);
    expect(existsSync(canary)).toBe(false);
  });

  it.each(['zsh', 'fish'])('has a script for %s', async (shell) => {
    expect((await managed.run('completion', shell)).out).toContain('thimble completion words');
  });

  it('names the shells there are for one there is not', async () => {
    expect(await managed.run('completion', 'fsh')).toMatchObject({
      code: 2,
      err: expect.stringContaining('bash, zsh, fish'),
    });
  });
});

describe('mcp-config', () => {
  const file = () => join(managed.place.dir, '.mcp.json');
  const read = async () =>
    JSON.parse(await readFile(file(), 'utf8')) as { mcpServers: Record<string, Entry> };
  interface Entry {
    readonly command: string;
    readonly args: string[];
  }

  it('shows and writes nothing with --stdout and --dry-run, and asks before it writes', async () => {
    const shown = JSON.parse((await managed.run('mcp-config', '--stdout')).out) as object;
    expect(Object.keys((shown as { mcpServers: object }).mcpServers)).toContain('desk');
    expect((await managed.run('mcp-config', '--dry-run')).out).toMatch(/\+.*"desk"/);
    expect(await managed.run('mcp-config')).toMatchObject({ code: 3 });
    expect(existsSync(file())).toBe(false);
  });

  it('leaves what others wrote, and puts one entry in place of many', async () => {
    await writeFile(file(), '{\n  // mine\n  "mcpServers": { "theirs": { "command": "x" } }\n}\n');
    expect((await managed.run('mcp-config', '--yes')).code).toBe(0);
    expect(
      Object.keys(
        (JSON.parse((await readFile(file(), 'utf8')).replace('// mine', '')) as { mcpServers: object })
          .mcpServers,
      ),
    ).toEqual(expect.arrayContaining(['theirs', 'desk']));
    expect((await managed.run('mcp-config', '--combined', '--yes')).code).toBe(0);
    const text = await readFile(file(), 'utf8');
    expect(text).toContain('// mine');
    const combined = JSON.parse(text.replace('// mine', '')) as { mcpServers: object };
    expect(Object.keys(combined.mcpServers)).toEqual(['theirs', 'thimble']);
    expect((await managed.run('mcp-config', '--combined', '--yes')).out).toContain('is as it should be');
    await rm(file());
  });

  it('writes entries with which a client reaches the servers', async () => {
    for (const args of [['--combined'], []]) {
      expect((await managed.run('mcp-config', '--yes', ...args)).code).toBe(0);
      const { mcpServers } = await read();
      const entry = mcpServers[args.length > 0 ? 'thimble' : 'desk'] as Entry;
      const client = new Client({ name: 'proof', version: '1.0.0' });
      await client.connect(
        new StdioClientTransport({
          ...entry,
          cwd: managed.place.dir,
          env: managed.env as Record<string, string>,
          stderr: 'ignore',
        }),
      );
      const names = (await client.listTools()).tools.map(({ name }) => name);
      await client.close();
      expect(names.length).toBeGreaterThan(0);
      if (args.length === 0) expect(names).toContain('echo');
    }
    await rm(file());
  });

  it('leaves alone a file that is no JSON, and a server of the same name that is not ours', async () => {
    for (const [text, problem] of [
      ['{ "mcpServers": ', 'is not valid JSON'],
      ['{ "mcpServers": { "desk": { "command": "theirs" } } }', 'not ours'],
    ] as const) {
      await writeFile(file(), text);
      const ran = await managed.run('mcp-config', '--yes');
      expect(ran).toMatchObject({ code: 1, err: expect.stringContaining(problem) });
      expect(await readFile(file(), 'utf8')).toBe(text);
    }
    await rm(file());
  });
});

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../model/json.ts';
import type { Terminal } from '../command.ts';
import { runProgram } from '../program.ts';

const DESK = { command: 'desk', env: { DESK_TOKEN: 'kestrel-99' } };

async function open(mcpServers: JsonObject = { desk: DESK }) {
  const dir = await mkdtemp(join(tmpdir(), 'thimble-mcp-config-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const [cwd, home] = [join(dir, 'work'), join(dir, '.thimble')];
  const file = join(cwd, '.mcp.json');
  await mkdir(cwd);
  await writeFile(file, JSON.stringify({ mcpServers }, null, 2));
  const run = async (words: string, terminal?: Terminal) => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const ports = {
      cwd,
      env: { HOME: dir },
      print,
      streams: { input: new PassThrough(), output: new PassThrough() },
      program: [process.execPath, '/opt/thimble/dist/main.js'],
      terminal,
      stopped: new Promise<string>(() => {}),
    };
    const code = await runProgram([...words.split(' '), '--home', home], ports, { print, complain: print });
    return { code, text: lines.join('\n') };
  };
  return { home, file, run, read: () => readFile(file, 'utf8') };
}

it('gives advice that works: servers move from .mcp.json into thimble.jsonc, and the file then leads to them', async () => {
  const { home, run, read } = await open();
  const refused = await run('mcp-config --combined --yes --config .mcp.json');
  expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('thimble config migrate') });
  const moved = await run('config migrate --yes');
  expect(moved).toMatchObject({ code: 0, text: expect.stringContaining('desk: added') });
  expect(await readFile(join(home, 'thimble.jsonc'), 'utf8')).toContain('"command": "desk"');
  expect(await run('mcp-config --combined --yes')).toMatchObject({ code: 0 });
  expect(await read()).toContain(join(home, 'thimble.jsonc'));
  // What leads here is not taken for a server to move in.
  expect((await run('config migrate --yes')).text).toContain('Nothing is new.');
});

it('puts an entry that leads here in the place of the server that was moved here', async () => {
  const { home, file, run, read } = await open();
  const before = await read();
  await run('config migrate --yes');
  expect(await run('mcp-config --yes')).toMatchObject({ code: 0 });
  const { mcpServers } = JSON.parse(await read()) as { mcpServers: Record<string, { args: string[] }> };
  expect(mcpServers['desk']?.args).toEqual(expect.arrayContaining(['run', 'desk']));
  const copies = join(home, 'backups', 'clients');
  const kept = (await readdir(copies)).find((name) => !name.endsWith('.json')) ?? '';
  expect(await readFile(join(copies, kept), 'utf8')).toBe(before);
  expect((await run('mcp-config --yes')).text).toContain('is as it should be');
  expect(await run('client disconnect claude-code-project --undo --yes')).toMatchObject({ code: 0 });
  expect(await readFile(file, 'utf8')).toBe(before);
});

it('leaves a server of the same name that is another, or knows more', async () => {
  const { file, run, read } = await open();
  await run('config migrate --yes');
  for (const other of [{ command: 'other' }, { ...DESK, env: { ...DESK.env, EXTRA: '1' } }]) {
    await writeFile(file, JSON.stringify({ mcpServers: { desk: other } }));
    const before = await read();
    expect(await run('mcp-config --yes')).toMatchObject({
      code: 1,
      text: expect.stringContaining('not ours'),
    });
    expect(await read()).toBe(before);
  }
});

it('shows no secret of the servers around, to a person or in an error', async () => {
  const { run } = await open({
    theirs: { command: 'x', env: { PLAIN: 'kestrel-98', API_KEY: 'kestrel-97' } },
  });
  const asked: string[] = [];
  const terminal: Terminal = {
    async ask(question) {
      asked.push(question);
      return 'n';
    },
  };
  for (const ran of [
    await run('mcp-config --combined'),
    await run('mcp-config --combined --dry-run'),
    await run('mcp-config --combined', terminal),
  ]) {
    expect(ran.text).toContain('thimble');
    expect(ran.text).not.toContain('kestrel');
  }
  expect(asked).toHaveLength(1);
});

it('writes only what was shown', async () => {
  const { file, run, read } = await open({});
  const now = JSON.stringify({ mcpServers: { late: { command: 'x' } } });
  const terminal: Terminal = {
    async ask() {
      await writeFile(file, now);
      return 'y';
    },
  };
  expect(await run('mcp-config --combined', terminal)).toMatchObject({ code: 3 });
  expect(await read()).toBe(now);
});

it('understands a file that begins with a byte order mark', async () => {
  const { file, run, read } = await open({});
  await writeFile(file, '\uFEFF{ "mcpServers": {} }\n');
  expect(await run('mcp-config --combined --yes')).toMatchObject({ code: 0 });
  expect(await read()).toMatch(/^\uFEFF\{[\s\S]*"thimble"/);
});

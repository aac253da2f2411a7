import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runTestProgram } from '../test-program.contract.ts';

let cwd: string;
let home: string;
let cursor: string;
let codex: string;

const FILE = '{ "mcpServers": { "a": { "command": "node", "args": ["a.js"] } } }\n';

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'thimble-init-'));
  home = join(cwd, 'home');
  cursor = join(cwd, '.cursor', 'mcp.json');
  codex = join(cwd, '.codex', 'config.toml');
  for (const file of [cursor, codex]) await mkdir(dirname(file), { recursive: true });
  await writeFile(cursor, FILE);
  await writeFile(codex, '');
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const run = (...words: string[]) => runTestProgram(['init', ...words, '--home', home], { cwd });
const setUp = () => run('--yes', '--no-tokens');

describe('thimble init --undo', () => {
  it('undoes only the clients that are named', async () => {
    await setUp();
    const connected = await readFile(codex, 'utf8');
    expect(await run('--undo', '--client', 'cursor', '--yes')).toMatchObject({ code: 0 });
    expect(await readFile(cursor, 'utf8')).toBe(FILE);
    expect(await readFile(codex, 'utf8')).toBe(connected);
    expect(connected).toContain('thimble');
  });

  it('does nothing for a name that no client has', async () => {
    await setUp();
    const connected = await readFile(cursor, 'utf8');
    const { code, complaints } = await run('--undo', '--client', 'curser', '--yes');
    expect([code, complaints]).toEqual([4, expect.stringContaining('cursor')]);
    expect(await readFile(cursor, 'utf8')).toBe(connected);
  });

  it.each(['--keep', '--no-tokens'])('refuses %s, which is for setting up', async (option) => {
    const { code, complaints } = await run('--undo', option, '--yes');
    expect([code, complaints]).toEqual([2, expect.stringContaining(option)]);
  });
});

describe('thimble init --dry-run', () => {
  it('makes no home where there is none', async () => {
    const { code, out } = await run('--dry-run');
    expect([code, out]).toEqual([0, expect.stringContaining('set up Thimble')]);
    expect(existsSync(home)).toBe(false);
  });
});

describe('thimble init', () => {
  it('says how all and one of the clients are put back', async () => {
    const undo = 'Undo with: thimble init --undo (one client: thimble client disconnect c';
    expect((await run('--dry-run')).out).toContain(undo);
    expect((await setUp()).out).toContain(undo);
    expect((await setUp()).out).toContain(undo);
  });

  it('says what was left out where the rest is set up already', async () => {
    await setUp();
    await writeFile(cursor, '{ "mcpServers": ');
    const { code, out } = await setUp();
    expect(out).toContain('Nothing was done: cursor was left out');
    expect(out).not.toContain('nothing to do');
    expect(code).toBe(1);
  });

  it('says of a server that cannot be taken over that it stays', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what people write
    const env = { TOKEN: '${input:tok}' };
    await writeFile(cursor, JSON.stringify({ mcpServers: { odd: { command: 'x', env } } }));
    const { out } = await run('--dry-run');
    expect(out).toMatch(/odd +stays there +Cursor/);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what people write
    expect(out).toContain('left where it is: it needs ${input:tok}, which only its client can fill in');
  });
});

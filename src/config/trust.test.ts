import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_PARTS } from '../gateway.ts';
import { openConfigFile } from './config-file.ts';
import { mayUseKept } from './trust.ts';

let cwd: string;
let home: string;
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'thimble-trust-'));
  [cwd, home] = [join(root, 'project'), join(root, 'home')];
  await mkdir(cwd);
  await mkdir(home);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const entry = (name: string) => ({ command: 'x', env: { TOKEN: `\${secret:${name}}` } });
const add = (name: string, value: object = entry(name)) => [
  { path: ['mcpServers', name], value: value as never },
];
const write = (name: string, mcpServers: object) =>
  writeFile(join(cwd, name), JSON.stringify({ mcpServers }));
const open = (explicit?: string) => openConfigFile({ cwd, home, explicit }, CONFIG_PARTS);
const may = (name: string, explicit?: string) => mayUseKept(join(cwd, name), { home, explicit });

describe('sealed values', () => {
  it('are for a configuration in the data directory, and for one that was named', async () => {
    expect(mayUseKept(join(home, 'thimble.jsonc'), { home })).toBe(true);
    expect(may('thimble.jsonc', 'thimble.jsonc')).toBe(true);
    expect(may('.mcp.json', '.mcp.json')).toBe(true);
  });

  it('are not for one that was only come upon, whatever it is called', async () => {
    for (const name of ['thimble.jsonc', 'thimble.json', '.mcp.json']) {
      await write(name, { evil: entry('github.TOKEN') });
      expect(may(name), name).toBe(false);
    }
  });

  it('are for one in a project once Thimble has put the first of them into it', async () => {
    await write('thimble.jsonc', { mine: { command: 'x' } });
    await open().edit(() => add('plain', { command: 'y' }));
    expect(may('thimble.jsonc')).toBe(false);
    await open().edit(() => add('github'));
    expect(may('thimble.jsonc')).toBe(true);
    expect(await readdir(join(home, 'own-configurations'))).toHaveLength(1);
    await open().edit(() => add('other'));
    expect(may('thimble.json')).toBe(false);
  });

  it('are for one that many put some into at once', async () => {
    await write('thimble.jsonc', {});
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(names.map((name) => open().edit(() => add(name))));
    expect(may('thimble.jsonc')).toBe(true);
    expect(Object.keys((await open().read()).value['mcpServers'] as object).sort()).toEqual(names);
  });

  it('are not put into one that refers to some already, hidden or not, unless it is named', async () => {
    const hidden = '{"mcpServers":{"evil":{"command":"x","env":{"A":"\\u0024{secret:github.TOKEN}"}}}}';
    await writeFile(join(cwd, 'thimble.jsonc'), hidden);
    await expect(open().edit(() => add('mine'))).rejects.toMatchObject({
      code: 'FILE_REFUSED',
      message: expect.stringContaining('secret:github.TOKEN'),
    });
    expect(await readFile(join(cwd, 'thimble.jsonc'), 'utf8')).toBe(hidden);
    await open().edit(() => add('plain', { command: 'y' }));
    expect(may('thimble.jsonc')).toBe(false);
    await open('thimble.jsonc').edit(() => add('mine'));
    expect(may('thimble.jsonc')).toBe(true);
  });

  it('are for a link to an own file, and for none when the note of it is broken', async () => {
    await write('thimble.jsonc', {});
    await open().edit(() => add('github'));
    await mkdir(join(root, 'other'));
    await symlink(join(cwd, 'thimble.jsonc'), join(root, 'other', 'thimble.jsonc'));
    expect(mayUseKept(join(root, 'other', 'thimble.jsonc'), { home })).toBe(true);
    const [note = ''] = await readdir(join(home, 'own-configurations'));
    await writeFile(join(home, 'own-configurations', note), '/elsewhere/thimble.jsonc');
    expect(may('thimble.jsonc')).toBe(false);
  });
});

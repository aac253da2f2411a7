import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_DEFAULTS } from './config.ts';
import { findHome } from './home.ts';
import { findConfig, loadConfig } from './load.ts';
import { TEST_PARTS } from './test-parts.ts';

let folder: string;
let places: { cwd: string; home: string };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thimble-load-'));
  places = { cwd: join(folder, 'cwd'), home: join(folder, 'home') };
  await mkdir(places.cwd);
  await mkdir(places.home);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('findConfig', () => {
  it('prefers the working directory to the home, and our own file to that of clients', async () => {
    const order = [
      join(places.home, 'thimble.json'),
      join(places.home, 'thimble.jsonc'),
      join(places.cwd, '.mcp.json'),
      join(places.cwd, 'thimble.json'),
      join(places.cwd, 'thimble.jsonc'),
    ];
    expect(await findConfig(places)).toBeUndefined();
    for (const path of order) {
      await writeFile(path, '{}');
      expect(await findConfig(places)).toBe(path);
    }
  });

  it('passes over a file of clients that only says how to start this program', async () => {
    const entry = { command: 'node', args: ['/opt/thimble/dist/main.js', 'stdio', '--config', 'x'] };
    const theirs = join(places.cwd, '.mcp.json');
    const ours = join(places.home, 'thimble.jsonc');
    await writeFile(ours, '{}');
    await writeFile(theirs, JSON.stringify({ mcpServers: { thimble: entry } }));
    expect(await findConfig(places)).toBe(ours);
    await writeFile(theirs, JSON.stringify({ mcpServers: { thimble: entry, other: { command: 'x' } } }));
    expect(await findConfig(places)).toBe(theirs);
  });

  it('takes the file asked for, from the working directory on', async () => {
    expect(await findConfig({ ...places, explicit: 'x/y.json' })).toBe(join(places.cwd, 'x/y.json'));
  });
});

describe('loadConfig', () => {
  it('gives the defaults when there is no file', async () => {
    expect(await loadConfig(places, TEST_PARTS)).toEqual({ config: CONFIG_DEFAULTS, path: undefined });
  });

  it('reads the file it found', async () => {
    const path = join(places.cwd, '.mcp.json');
    await writeFile(path, '{ "mcpServers": { "a": { "command": "x" } } }');
    const loaded = await loadConfig(places, TEST_PARTS);
    expect(loaded).toMatchObject({ path, config: { upstreams: [{ id: 'a' }] } });
  });

  it('says that the file asked for does not exist', async () => {
    const loading = loadConfig({ ...places, explicit: 'none.json' }, TEST_PARTS);
    await expect(loading).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/none\.json does not exist; check the path given with --config/),
    });
  });

  it('refuses a folder and bytes that are no text', async () => {
    const bytes = join(places.cwd, 'bytes.json');
    await writeFile(bytes, Buffer.from([0x7b, 0xff, 0x7d]));
    for (const explicit of [places.home, bytes]) {
      await expect(loadConfig({ ...places, explicit }, TEST_PARTS)).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
      });
    }
  });
});

describe('findHome', () => {
  it('prefers the flag to the environment and that to the user', () => {
    const env = { THIMBLE_HOME: '/env' };
    expect(findHome({ flag: '/flag', env })).toBe('/flag');
    expect(findHome({ env })).toBe('/env');
    expect(findHome({ env: {} })).toBe(join(homedir(), '.thimble'));
    expect(findHome({ flag: 'x', env })).toBe(join(process.cwd(), 'x'));
  });
});

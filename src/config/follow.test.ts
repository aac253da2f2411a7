import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { followConfig } from './follow.ts';
import { type ConfigPlaces, loadConfig } from './load.ts';
import { TEST_PARTS } from './test-parts.ts';

let places: ConfigPlaces;

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'thimble-follow-'));
  places = { cwd: join(folder, 'cwd'), home: join(folder, 'home') };
  await mkdir(places.cwd);
  await mkdir(places.home);
  return () => rm(folder, { recursive: true, force: true });
});

async function following() {
  const taken: { ids: string[]; path: string; pending: readonly string[] }[] = [];
  const rejected: { path: string; reason: string }[] = [];
  const stop = followConfig({
    loaded: await loadConfig(places, TEST_PARTS),
    places,
    parts: TEST_PARTS,
    onConfig: async ({ upstreams }, path, pending) => {
      taken.push({ ids: upstreams.map(({ id }) => id), path, pending });
    },
    onRejected: (path, reason) => void rejected.push({ path, reason }),
  });
  onTestFinished(stop);
  return { taken, rejected };
}

const withServer = (name: string) => JSON.stringify({ mcpServers: { [name]: { command: 'x' } } });

describe('followConfig', () => {
  it.each([
    ['cwd', 'thimble.jsonc'],
    ['cwd', 'thimble.json'],
    ['cwd', '.mcp.json'],
    ['home', 'thimble.jsonc'],
    ['home', 'thimble.json'],
  ] as const)('notices the first configuration at %s/%s, and its edits', async (place, name) => {
    const { taken } = await following();
    const path = join(places[place], name);
    await writeFile(path, withServer('first'));
    await expect.poll(() => taken).toEqual([{ ids: ['first'], path, pending: [] }]);
    await writeFile(path, withServer('second'));
    await expect.poll(() => taken[1]).toEqual({ ids: ['second'], path, pending: [] });
  });

  it('stays with the first file that appeared', async () => {
    const { taken } = await following();
    const path = join(places.home, 'thimble.jsonc');
    await writeFile(path, withServer('a'));
    await expect.poll(() => taken).toHaveLength(1);
    await writeFile(join(places.cwd, '.mcp.json'), withServer('b'));
    await writeFile(path, withServer('c'));
    await expect.poll(() => taken).toHaveLength(2);
    expect(taken[1]).toMatchObject({ ids: ['c'], path });
  });

  it('names the changed settings that only a restart takes over, until they are changed back', async () => {
    const path = join(places.cwd, 'thimble.jsonc');
    await writeFile(path, '{}');
    const { taken } = await following();
    await writeFile(path, '{ "http": { "host": "::1", "port": 1 }, "names": { "maxLength": 20 } }');
    await expect.poll(() => taken).toHaveLength(1);
    expect(taken[0]?.pending).toEqual(['http.host', 'http.port']);
    await writeFile(path, withServer('a'));
    await expect.poll(() => taken).toHaveLength(2);
    expect(taken[1]?.pending).toEqual([]);
  });

  it('says which file cannot be used, and nothing of options nobody gave', async () => {
    const path = join(places.cwd, 'thimble.jsonc');
    await writeFile(path, '{}');
    const { rejected } = await following();
    await rm(path);
    await expect.poll(() => rejected).toHaveLength(1);
    expect(rejected[0]?.path).toBe(path);
    expect(rejected[0]?.reason).not.toContain('--config');
  });
});

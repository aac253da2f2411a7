import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UpstreamId } from '../model/ids.ts';
import type { Manifest } from '../model/manifest.ts';
import { GATEWAY_MIGRATIONS } from './migrations.ts';
import { openDatabase, openStore, openStoreOrMemory } from './open.ts';

const FILES = 'files' as UpstreamId;

const MANIFEST: Manifest = {
  hello: {
    era: 'legacy',
    protocolVersion: '2025-11-25',
    serverInfo: { name: 'files', version: '1' },
    capabilities: { tools: {} },
    instructions: undefined,
  },
  lists: { tool: [{ name: 'read' }], resource: [], template: [], prompt: [] },
};

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thimble-store-'));
  path = join(folder, 'home', 'thimble.db');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function createStoreWith(manifest: Manifest): Promise<void> {
  await using store = await openStore(path);
  await store.manifests.save('key', FILES, manifest);
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('openStore', () => {
  it('creates the folder and the file for their owner only', async () => {
    await using store = await openStore(path);
    expect(store.degraded).toBeUndefined();
    expect((await stat(join(folder, 'home'))).mode & 0o777).toBe(0o700);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('finds what was saved by an earlier run', async () => {
    await createStoreWith(MANIFEST);
    await using store = await openStore(path);
    expect(await store.manifests.load('key')).toEqual({ manifest: MANIFEST });
  });

  it('leaves everything in the main file when it is closed', async () => {
    await createStoreWith(MANIFEST);
    await rm(`${path}-wal`, { force: true });
    await rm(`${path}-shm`, { force: true });
    await using store = await openStore(path);
    expect(await store.manifests.load('key')).toEqual({ manifest: MANIFEST });
  });

  it('lets two connections create and migrate the same new file at once', async () => {
    const stores = await Promise.all([openStore(path), openStore(path), openStore(path)]);
    await Promise.all(stores.map((store, index) => store.manifests.save(`key-${index}`, FILES, MANIFEST)));
    for (let index = 0; index < stores.length; index++) {
      expect(await stores[0]!.manifests.load(`key-${index}`)).toEqual({ manifest: MANIFEST });
    }
    await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
  });
});

describe('a store that cannot be used', () => {
  const refusals: readonly (readonly [string, () => Promise<void>])[] = [
    ['is no database', () => writeFile(path, 'these are not the bytes of a database'.repeat(300))],
    ['is shorter than a header', () => writeFile(path, 'SQLite')],
    ['is cut off in the middle', async () => truncate(path, (await stat(path)).size - 4096)],
    ['is cut off inside its first page', () => truncate(path, 1_000)],
    [
      'is empty while its log is not',
      async () => {
        await writeFile(`${path}-wal`, 'x');
        await truncate(path, 0);
      },
    ],
    [
      'has a damaged first page',
      async () => {
        const bytes = await readFile(path);
        await writeFile(path, bytes.fill(0xff, 100, 4096));
      },
    ],
  ];

  it.each(refusals)('is refused and left byte for byte as it was when it %s', async (_, damage) => {
    await createStoreWith(MANIFEST);
    await rm(`${path}-wal`, { force: true });
    await damage();
    const before = await readFile(path);
    const error = await failure(openStore(path));
    expect(error).toMatchObject({ code: 'STORE_CORRUPT', message: expect.stringContaining(path) });
    expect((await readFile(path)).equals(before)).toBe(true);
  });

  it('is refused and left byte for byte as it was when a newer version wrote it', async () => {
    await (
      await openDatabase(path, [
        ...GATEWAY_MIGRATIONS,
        { owner: 'gateway', id: '9999-later', up: async () => {} },
      ])
    ).destroy();
    const before = await readFile(path);
    const error = await failure(openStore(path));
    expect(error).toMatchObject({
      code: 'STORE_NEWER',
      message: expect.stringContaining('gateway/9999-later'),
    });
    expect((await readFile(path)).equals(before)).toBe(true);
  });

  it('opens with what the file itself holds when its log was deleted', async () => {
    const running = await openStore(path);
    await running.manifests.save('key', FILES, MANIFEST);
    const copy = join(folder, 'copy.db');
    await writeFile(copy, await readFile(path));
    await running[Symbol.asyncDispose]();
    await using store = await openStore(copy);
    expect(await store.manifests.load('key')).toBeUndefined();
    await store.manifests.save('key', FILES, MANIFEST);
    expect(await store.manifests.load('key')).toEqual({ manifest: MANIFEST });
  });

  it('is refused when its folder cannot be made', async () => {
    await writeFile(join(folder, 'home'), 'a file where the folder should be');
    const error = await failure(openStore(path));
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining(path) });
    expect(await readdir(folder)).toEqual(['home']);
  });

  it('is refused when the path is a folder', async () => {
    expect(await failure(openStore(folder))).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});

describe('openStoreOrMemory', () => {
  it('opens the file when it can', async () => {
    await using store = await openStoreOrMemory(path);
    expect(store.degraded).toBeUndefined();
  });

  it('goes on in memory and says why when it cannot', async () => {
    await writeFile(join(folder, 'home'), '');
    await using store = await openStoreOrMemory(path);
    expect(store.degraded).toContain(path);
    await store.manifests.save('key', FILES, MANIFEST);
    expect(await store.manifests.load('key')).toEqual({ manifest: MANIFEST });
  });
});

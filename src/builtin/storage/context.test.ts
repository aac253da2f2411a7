import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openTestClient } from '../test-client.contract.ts';
import { findStorage, type KeptStorage, type StorageServerParts } from './context.ts';
import { createStorageRoutes } from './http.ts';
import { createStorageServer } from './server.ts';

/** Parts of a house that keeps one storage for everybody in it. */
function toKept(more: Partial<StorageServerParts> = {}) {
  const kept = new Map<string, AsyncDisposable>();
  const clock = createFakeClock();
  const parts: StorageServerParts = {
    store: createMemoryStore(),
    clock,
    baseUrl: () => 'http://127.0.0.1:7000',
    keep<T extends AsyncDisposable>(name: string, create: () => T): T {
      const value = kept.get(name) ?? create();
      kept.set(name, value);
      return value as T;
    },
    ...more,
  };
  const end = async () => {
    for (const value of kept.values()) await value[Symbol.asyncDispose]();
  };
  return { parts, clock, kept, end };
}

const HELLO = { file_name: 'hello.txt', data_base64: Buffer.from('hello').toString('base64') };

/** A folder of the system's that nobody else uses. */
async function createSystemFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'thimble-system-'));
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, folder);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

it('gives by its routes what its tools have stored, without a home too, and leaves nothing behind', async () => {
  const folder = await createSystemFolder();
  const { parts, end } = toKept();
  const client = await openTestClient(createStorageServer(parts));
  const { data } = await client.call('upload_file', HELLO);
  const answer = await createStorageRoutes(parts)(new Request(String(data['url'])));
  expect(await answer?.text()).toBe('hello');
  expect(await readdir(folder)).toEqual([expect.stringContaining('thimble-files-')]);
  await end();
  expect(await readdir(folder)).toEqual([]);
});

it('is opened once for all who need it, and waits for nothing once it is ended', async () => {
  await createSystemFolder();
  const { parts, clock, kept, end } = toKept();
  const opened = await Promise.all(Array.from({ length: 5 }, () => findStorage(parts).open()));
  expect(new Set(opened).size).toBe(1);
  const client = await openTestClient(createStorageServer(parts));
  expect((await client.call('storage_stats')).isError).toBe(false);
  await createStorageRoutes(parts)(new Request('http://127.0.0.1:7000/storage/file/abc'));
  expect([kept.size, clock.waiting]).toEqual([1, 1]);
  await end();
  expect(clock.waiting).toBe(0);
});

it('ends quietly when it was never opened, or could not be', async () => {
  const { parts, end } = toKept({ options: { backend: 's3' } });
  const storage: KeptStorage = findStorage(parts);
  await end();
  await expect(storage.open()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(end()).resolves.toBeUndefined();
});

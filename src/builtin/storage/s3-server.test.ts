import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openTestClient, type TestClient } from '../test-client.contract.ts';
import { createS3Backend } from './backends/s3/backend.ts';
import { openS3TestServer, type S3TestServer } from './backends/s3/test-server.ts';
import { openStorage, type StorageServerParts } from './context.ts';
import { createStorageRoutes } from './http.ts';
import { LEASE_MS } from './limits.ts';
import { createStorageServer } from './server.ts';
import type { StorageTables } from './tables.ts';

let s3: S3TestServer;
let time = Date.parse('2026-05-01T12:00:00Z');

beforeAll(async () => {
  s3 = await openS3TestServer();
});

afterAll(() => s3[Symbol.asyncDispose]());

const toParts = (more: Partial<StorageServerParts> = {}): StorageServerParts => ({
  store: createMemoryStore(),
  options: { backend: 's3', ...s3.options },
  baseUrl: () => 'http://127.0.0.1:7000',
  now: () => new Date(time),
  ...more,
});

const open = (parts: StorageServerParts): Promise<TestClient> => openTestClient(createStorageServer(parts));
const hello = { file_name: 'hello.txt', data_base64: Buffer.from('hello').toString('base64') };

/** The objects in the bucket, as the server lists them. */
async function listObjects(): Promise<readonly string[]> {
  const text = await (await fetch(`${s3.options.endpoint}/${s3.options.bucket}`)).text();
  return [...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = '']) => key);
}

it('stores, links, counts and deletes in the bucket', async () => {
  const client = await open(toParts());
  const { data } = await client.call('upload_file', hello);
  expect(String(data['url']).startsWith(`${s3.options.endpoint}/${s3.options.bucket}/`)).toBe(true);
  expect(await (await fetch(String(data['url']))).text()).toBe('hello');
  expect((await client.call('storage_stats')).data).toMatchObject({ files: 1, used_bytes: 5, backend: 's3' });
  expect(await listObjects()).toHaveLength(1);
  await client.call('delete_file', { key: String(data['key']) });
  expect(await listObjects()).toEqual([]);
});

it('takes an upload through the gateway, and gives equal contents an object each', async () => {
  const parts = toParts();
  const [client, routes] = [await open(parts), createStorageRoutes(parts)];
  const bytes = randomBytes(9 * 1024 * 1024);
  const links: string[] = [];
  for (const file_name of ['a.bin', 'b.bin']) {
    const { data } = await client.call('upload_file', { file_name });
    const answer = await routes(new Request(String(data['upload_url']), { method: 'PUT', body: bytes }));
    expect(answer?.status).toBe(201);
    links.push(String((await client.call('get_file_url', { key: String(data['key']) })).data['url']));
  }
  expect(await listObjects()).toHaveLength(2);
  const { data } = await client.call('list_files');
  const [newest] = data['files'] as unknown as readonly { readonly key: string }[];
  await client.call('delete_file', { key: newest?.key ?? '' });
  const answers = await Promise.all(
    links.map(async (link) => {
      const answer = await fetch(link);
      return [answer.status, (await answer.arrayBuffer()).byteLength === bytes.byteLength];
    }),
  );
  expect(answers.sort()).toEqual([
    [200, true],
    [404, false],
  ]);
});

it('sweeps the object of an upload whose process died before its row was written', async () => {
  const before = await listObjects();
  const real = createS3Backend(s3.options);
  const killed = async () => {
    throw new Error('killed');
  };
  const parts = toParts();
  const mortal = await open({ ...parts, backend: { ...real, keep: killed, discard: killed } });
  expect(await mortal.call('upload_file', hello)).toMatchObject({ isError: true });
  expect(await listObjects()).toHaveLength(before.length + 1);
  time += LEASE_MS + 1;
  await openStorage(parts);
  expect(await listObjects()).toEqual(before);
});

it('removes the object of an upload that was given up while it slept', async () => {
  const before = await listObjects();
  const parts = toParts();
  const storage = await openStorage(parts);
  let wake = () => {};
  const asleep = new Promise<void>((resolve) => {
    wake = resolve;
  });
  async function* content(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('late');
    await asleep;
  }
  const labels = { mimeType: undefined, referenceType: undefined, referenceId: undefined };
  const details = { principal: 'local', name: 'late.txt', bucket: 'files', ...labels };
  const key = await storage.uploads.announce(details, 3600);
  const late = storage.uploads.receive(key, { content: content(), length: 4 });
  const { db } = await parts.store.tables<StorageTables>('storage', []);
  const states = async () =>
    (await db.selectFrom('storage_uploads').select('state').execute()).map(({ state }) => state);
  while (!(await states()).includes('running')) await new Promise((resolve) => setImmediate(resolve));
  time += LEASE_MS + 1;
  await openStorage(parts);
  expect(await states()).toEqual(['waiting']);
  wake();
  await expect(late).rejects.toMatchObject({ data: { reason: 'busy' } });
  expect(await listObjects()).toEqual(before);
  expect(await db.selectFrom('storage_contents').selectAll().execute()).toEqual([]);
  expect(await storage.uploads.receive(key, { content: content(), length: 4 })).toMatchObject({ size: 4 });
  expect(await listObjects()).toHaveLength(before.length + 1);
});

it('does not make every upload wait for what cannot be removed now', async () => {
  const real = createS3Backend(s3.options);
  let tried = 0;
  const stuck = async () => {
    tried += 1;
    throw new Error('stuck');
  };
  const parts = toParts({ backend: { ...real, put: stuck, discard: stuck } });
  const storage = await open(parts);
  for (let upload = 0; upload < 5; upload++) await storage.call('upload_file', hello);
  time += LEASE_MS + 1;
  tried = 0;
  await storage.call('upload_file', { file_name: 'x' });
  await storage.call('upload_file', { file_name: 'y' });
  expect(tried).toBe(2);
});

it('says so when the file lies in the storage that was configured before', async () => {
  const home = await mkdtemp(join(tmpdir(), 'thimble-moved-'));
  const parts = toParts({ home });
  const { data } = await (await open({ ...parts, options: {} })).call('upload_file', hello);
  const answer = await (await open(parts)).call('get_file_url', { key: String(data['key']) });
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('configure the one it was') });
  await rm(home, { recursive: true, force: true });
});

it('answers every tool that needs the store with what is wrong with it', async () => {
  const options = { backend: 's3', ...s3.options, endpoint: 'http://127.0.0.1:1' };
  const client = await open(toParts({ options }));
  expect(await client.call('upload_file', hello)).toMatchObject({
    isError: true,
    text: expect.stringContaining('check that it runs'),
  });
  expect((await client.call('storage_stats')).data).toMatchObject({ files: 0, used_bytes: 0 });
});

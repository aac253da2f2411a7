import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inPieces, newAttempt, readAll, runBackendContract, store } from '../backend.contract.ts';
import { createLocalBackend } from './backend.ts';

let root: string;
let folder: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'thimble-files-'));
  folder = join(root, 'files');
});

afterEach(() => rm(root, { recursive: true, force: true }));

const open = () =>
  createLocalBackend({ folder, toFileUrl: (key, seconds) => `http://here/${key}?in=${seconds}` });

runBackendContract(open);

const listAll = async () => (await readdir(root, { recursive: true })).sort();

it('keeps equal contents once, under their digest, readable by their owner only', async () => {
  const bytes = Buffer.from('the same in both');
  const first = await store(open(), bytes);
  const second = await store(open(), bytes);
  expect(second).toEqual(first);
  const digest = first.sha256;
  expect(await listAll()).toEqual([
    'files',
    `files/${digest.slice(0, 2)}`,
    `files/${digest.slice(0, 2)}/${digest}`,
    'files/partial',
  ]);
  const modes = await Promise.all(
    [folder, join(folder, 'partial'), join(folder, digest.slice(0, 2))].map(
      async (path) => (await stat(path)).mode & 0o777,
    ),
  );
  expect(modes).toEqual([0o700, 0o700, 0o700]);
  expect((await stat(join(folder, digest.slice(0, 2), digest))).mode & 0o777).toBe(0o600);
});

it('heals a damaged content when it comes again', async () => {
  const bytes = Buffer.from('whole');
  const { address, sha256 } = await store(open(), bytes);
  await writeFile(join(folder, sha256.slice(0, 2), sha256), 'torn!');
  await store(open(), bytes);
  expect((await readAll(await open().get(address)))?.toString()).toBe('whole');
});

it('shows nothing at the address before the content is kept', async () => {
  const backend = open();
  const attempt = newAttempt();
  const { address } = await backend.put({ attempt, content: inPieces(Buffer.from('x')), limit: 10 });
  expect(await backend.get(address)).toBeUndefined();
  await backend.keep(attempt, address);
  expect((await readAll(await backend.get(address)))?.toString()).toBe('x');
});

it('leaves no part of a refused content on the disk', async () => {
  const taking = open().put({
    attempt: newAttempt(),
    content: inPieces(new Uint8Array(500_000)),
    limit: 300_000,
  });
  await expect(taking).rejects.toMatchObject({ code: 'BODY_TOO_LARGE', data: { limit: 300_000 } });
  expect(await listAll()).toEqual(['files', 'files/partial']);
});

it('never makes a path of an attempt that is not one of ours', async () => {
  const backend = open();
  for (const attempt of ['../../x', '', 'a/b', '..']) {
    const taking = backend.put({ attempt, content: inPieces(Buffer.from('x')), limit: 10 });
    await expect(taking).rejects.toMatchObject({ code: 'INTERNAL' });
  }
  await expect(backend.keep(newAttempt(), 'local:../x')).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(await listAll()).toEqual([]);
});

it('says which directory cannot be used', async () => {
  await writeFile(folder, 'a file where the directory should be');
  const taking = open().put({ attempt: newAttempt(), content: inPieces(Buffer.from('x')), limit: 10 });
  await expect(taking).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', data: { path: folder } });
});

it('takes a temporary directory with it when it is closed', async () => {
  const backend = createLocalBackend({ folder, isTemporary: true, toFileUrl: (key) => key });
  await store(backend, Buffer.from('x'));
  await backend.close();
  expect(await listAll()).toEqual([]);
});

it('links to the file at the gateway', async () => {
  const link = { key: 'k', address: 'local:x', name: 'n', mimeType: 'text/plain', seconds: 60 };
  expect(await open().link(link)).toBe('http://here/k?in=60');
});

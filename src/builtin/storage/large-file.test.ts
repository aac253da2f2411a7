import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getRequestListener } from '@hono/node-server';
import { expect, it } from 'vitest';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openS3TestServer } from './backends/s3/test-server.ts';
import { openStorage, type StorageServerParts } from './context.ts';
import { createStorageRoutes } from './http.ts';

const MEGABYTE = 1024 * 1024;
/** The whole 200 MB with FUZZ_FULL=1; memory that grew with the file would show at this size as well. */
const SIZE = (process.env['FUZZ_FULL'] ? 200 : 64) * MEGABYTE;
const GROWTH_LIMIT = 32 * MEGABYTE;
/** After so many bytes it is looked how much is held: seldom, since a look takes long where much is held by others. */
const LOOK_BYTES = 28 * MEGABYTE;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** How much is held now; what waits to be collected does not count, since nobody knows when that happens. */
function heldBytes(): number {
  // Twice: buffers that the first finds are let go of only by the second.
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Looks how much more is held than before. */
function watchMemory(): { look(): void; growth(): number } {
  const before = heldBytes();
  let growth = 0;
  return {
    look() {
      growth = Math.max(growth, heldBytes() - before);
    },
    growth: () => growth,
  };
}

/** Bytes that differ from place to place, made as they are read. */
async function* makeBytes(size: number, look = () => {}): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; at += 65_536) {
    if (at > 0 && at % LOOK_BYTES === 0) look();
    const chunk = Buffer.alloc(Math.min(65_536, size - at), 'thimble ');
    chunk.writeUInt32BE(at);
    yield chunk;
  }
}

async function digest(chunks: AsyncIterable<unknown>, look = () => {}): Promise<string> {
  const hash = createHash('sha256');
  let unseen = 0;
  for await (const chunk of chunks) {
    hash.update(chunk as Buffer);
    unseen += (chunk as Buffer).length;
    if (unseen < LOOK_BYTES) continue;
    unseen = 0;
    look();
  }
  return hash.digest('hex');
}

async function put(url: string, size: number, look: () => void): Promise<string> {
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    const sender = httpRequest(url, { method: 'PUT', headers: { 'content-length': size } }, resolve);
    pipeline(Readable.from(makeBytes(size, look)), sender).catch(reject);
  });
  let text = '';
  for await (const chunk of await answered) text += chunk;
  return text;
}

async function get(url: string, look: () => void): Promise<string> {
  const answer = await new Promise<IncomingMessage>((resolve) => httpRequest(url, resolve).end());
  return digest(answer, look);
}

async function openServed(more: Partial<StorageServerParts>) {
  const home = await mkdtemp(join(tmpdir(), 'thimble-large-'));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const parts: StorageServerParts = { store: createMemoryStore(), home, baseUrl: () => base, ...more };
  const routes = createStorageRoutes(parts);
  server.on(
    'request',
    getRequestListener(async (request) => (await routes(request)) ?? new Response(null, { status: 404 }), {
      overrideGlobalObjects: false,
    }),
  );
  return {
    storage: await openStorage(parts),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function expectFlat(more: Partial<StorageServerParts>): Promise<void> {
  await using served = await openServed(more);
  const { storage } = served;
  const details = { principal: 'local', name: 'large.bin', bucket: 'files' };
  const nothing = { mimeType: undefined, referenceType: undefined, referenceId: undefined };
  const roundTrip = async (size: number, look = () => {}) => {
    const key = await storage.uploads.announce({ ...details, ...nothing }, 60);
    expect(await put(storage.signer.toUrl('upload', key, 60), size, look)).toContain(`"size":${size}`);
    const file = await storage.files.find('local', key);
    expect(file.sha256).toBe(await digest(makeBytes(size)));
    expect(await get(await storage.files.link(file, 60), look)).toBe(file.sha256);
  };
  // The first one loads code and fills pools; that is paid once, whatever the size.
  await roundTrip(16 * MEGABYTE);
  const memory = watchMemory();
  await roundTrip(SIZE, memory.look);
  expect(memory.growth()).toBeLessThan(GROWTH_LIMIT);
}

const options = { maxUploadMb: 300, quotaMb: 1000 };

it('goes up to a directory and comes down with flat memory', () => expectFlat({ options }));

it('goes up to an S3 store and comes down with flat memory', async () => {
  await using s3 = await openS3TestServer();
  await expectFlat({ options: { backend: 's3', ...s3.options, ...options } });
});

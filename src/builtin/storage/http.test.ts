import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../store/memory-store.ts';
import type { BuiltinRoutes } from '../builtin.ts';
import { openStorage, type Storage, type StorageServerParts } from './context.ts';
import { createStorageRoutes } from './http.ts';
import type { FileDetails } from './upload-rows.ts';

const DETAILS: FileDetails = {
  principal: 'local',
  name: 'plan.html',
  mimeType: undefined,
  bucket: 'files',
  referenceType: undefined,
  referenceId: undefined,
};

let home: string;
let time: number;
let storage: Storage;
let routes: BuiltinRoutes;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'thimble-http-'));
  time = Date.parse('2026-05-01T12:00:00Z');
  await reopen();
});

afterEach(() => rm(home, { recursive: true, force: true }));

async function reopen(more: Partial<StorageServerParts> = {}): Promise<void> {
  const parts: StorageServerParts = {
    store: createMemoryStore(),
    home,
    baseUrl: () => 'http://127.0.0.1:7000',
    now: () => new Date(time),
    ...more,
  };
  storage = await openStorage(parts);
  routes = createStorageRoutes(parts);
}

async function ask(url: string, init?: RequestInit): Promise<Response> {
  const response = await routes(new Request(url, init));
  if (!response) throw new Error(`nothing is at ${url}`);
  return response;
}

async function add(text: string | Buffer, name = 'plan.html'): Promise<string> {
  const bytes = Buffer.from(text);
  async function* content(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  const file = await storage.uploads.add({ ...DETAILS, name }, { content: content(), length: bytes.length });
  return storage.files.link(file, 60);
}

async function announce(more: Partial<FileDetails> = {}): Promise<string> {
  const key = await storage.uploads.announce({ ...DETAILS, ...more }, 60);
  return storage.signer.toUrl('upload', key, 60);
}

const codeOf = async (response: Response) =>
  ((await response.json()) as { readonly error: { readonly code: string } }).error.code;

describe('addresses', () => {
  it.each([
    '/',
    '/mcp',
    '/storage',
    '/storage/file',
    '/storage/file/',
    '/storage/file/a/b',
    '/storage/file/%2e%2e',
  ])('leaves %s to others', async (path) => {
    expect(await routes(new Request(`http://127.0.0.1${path}`))).toBeUndefined();
  });

  it('names the methods an address takes', async () => {
    const link = await add('x');
    const refused = await ask(link, { method: 'DELETE' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const toUpload = await ask(await announce());
    expect([toUpload.status, toUpload.headers.get('allow')]).toEqual([405, 'PUT, POST']);
  });
});

it('tells a fault of its own to the log and not to the client', async () => {
  const told: unknown[] = [];
  const store = {
    tables: async () => {
      throw new Error('a secret of the house');
    },
  };
  routes = createStorageRoutes({ store, onFault: (error) => told.push(error) });
  const answer = await ask('http://127.0.0.1/storage/file/abc');
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain('secret');
  expect(told).toEqual([new Error('a secret of the house')]);
});

describe('a signature', () => {
  it('is needed, and opens its own address only, until it expires', async () => {
    const [mine, other] = [new URL(await add('mine')), new URL(await add('other'))];
    const upload = new URL(await announce());
    const swap = (path: URL, query: URL) => new URL(path.pathname + query.search, path).href;
    const refused = [swap(mine, other), swap(mine, upload), swap(mine, new URL('http://x/'))];
    for (const url of refused) {
      const answer = await ask(url);
      expect([answer.status, await codeOf(answer)]).toEqual([403, 'INVALID_REQUEST']);
    }
    const put = await ask(swap(upload, mine), { method: 'PUT', body: 'x' });
    expect(put.status).toBe(403);
    expect(await (await ask(mine.href)).text()).toBe('mine');
    time += 60_000;
    expect((await ask(mine.href)).status).toBe(403);
    expect((await ask(upload.href, { method: 'PUT', body: 'x' })).status).toBe(403);
  });

  it('tells nobody without one which keys exist', async () => {
    const link = new URL(await add('x'));
    const known = await ask(`${link.origin}${link.pathname}?expires=99&signature=00`);
    const unknown = await ask(`${link.origin}/storage/file/0123456789?expires=99&signature=00`);
    expect([known.status, await known.text()]).toEqual([unknown.status, await unknown.text()]);
  });

  it('of another gateway is refused', async () => {
    const foreign = await add('x');
    await reopen();
    expect((await ask(foreign)).status).toBe(403);
  });
});

describe('a download', () => {
  it('is an attachment that cannot act as a page', async () => {
    const answer = await ask(await add('<script>alert(1)</script>', 'x"\r\ny.html'));
    expect(await answer.text()).toBe('<script>alert(1)</script>');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html',
      'content-length': '25',
      'content-disposition': `attachment; filename="x___y.html"; filename*=UTF-8''x___y.html`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'referrer-policy': 'no-referrer',
      'accept-ranges': 'bytes',
    });
  });

  it('comes in any part that is asked for', async () => {
    const bytes = randomBytes(500);
    const link = await add(bytes);
    await fc.assert(
      fc.asyncProperty(fc.nat(499), fc.nat(600), async (start, more) => {
        const answer = await ask(link, { headers: { range: `bytes=${start}-${start + more}` } });
        const end = Math.min(start + more, 499);
        expect(answer.status).toBe(206);
        expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end}/500`);
        expect(answer.headers.get('content-length')).toBe(String(end - start + 1));
        const part = Buffer.from(await answer.arrayBuffer());
        expect(part.equals(bytes.subarray(start, end + 1))).toBe(true);
      }),
      { numRuns: 40 },
    );
    const past = await ask(link, { headers: { range: 'bytes=500-' } });
    expect([past.status, past.headers.get('content-range')]).toEqual([416, 'bytes */500']);
  });

  it('answers HEAD, what is known already, and a range of an older content', async () => {
    const link = await add('hello');
    const head = await ask(link, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '5', '']);
    const etag = head.headers.get('etag') ?? '';
    expect((await ask(link, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const old = await ask(link, { headers: { range: 'bytes=0-1', 'if-range': '"old"' } });
    expect([old.status, await old.text()]).toEqual([200, 'hello']);
    const same = await ask(link, { headers: { range: 'bytes=0-1', 'if-range': etag } });
    expect([same.status, await same.text()]).toEqual([206, 'he']);
  });

  it('says so when the content is gone', async () => {
    const link = await add('hello');
    await rm(join(home, 'files'), { recursive: true });
    const answer = await ask(link);
    expect([answer.status, await codeOf(answer)]).toEqual([500, 'STORE_UNAVAILABLE']);
  });
});

describe('an upload', () => {
  it('takes its type from the announcement, else from the sender, else from the name', async () => {
    const put = async (more: Partial<FileDetails>, type: string | undefined) => {
      const init = { method: 'PUT', body: Buffer.from('{}'), headers: type ? { 'content-type': type } : {} };
      const answer = (await (await ask(await announce(more), init)).json()) as { mime_type: string };
      return answer.mime_type;
    };
    expect(await put({ mimeType: 'text/csv' }, 'text/plain')).toBe('text/csv');
    expect(await put({}, 'Text/Plain; charset=utf-8')).toBe('text/plain');
    expect(await put({}, undefined)).toBe('text/html');
    expect(await put({}, 'application/x-www-form-urlencoded')).toBe('text/html');
    expect(await put({ name: 'x' }, 'nonsense')).toBe('application/octet-stream');
  });

  it.each([
    ['a form', 415, { body: new FormData() }],
    ['a program by its type', 415, { body: 'x', headers: { 'content-type': 'application/x-sh' } }],
    ['a program by its first bytes', 415, { body: '#!/bin/sh' }],
    ['more than the quota', 507, { body: 'x'.repeat(600) }],
    ['more than a file may have', 413, { body: 'x'.repeat(1100) }],
    ['more than a file may have, as announced', 413, { body: 'x', headers: { 'content-length': '99999' } }],
  ])('of %s is refused with %i', async (_, status, init) => {
    await reopen({ options: { quotaMb: 500 / 1024 / 1024, maxUploadMb: 0.001 } });
    const answer = await ask(await announce(), { method: 'POST', ...init });
    expect(answer.status).toBe(status);
    expect((await storage.files.list('local', { limit: 1, offset: 0 })).total).toBe(0);
    const left = await readdir(home, { recursive: true });
    expect(left.filter((path) => /[0-9a-f]{32}/.test(path))).toEqual([]);
  });

  it('is taken once', async () => {
    const url = await announce();
    expect((await ask(url, { method: 'PUT', body: 'one' })).status).toBe(201);
    expect((await ask(url, { method: 'PUT', body: 'two' })).status).toBe(404);
  });
});

describe('over a real connection', () => {
  let server: Server;
  let base: string;

  beforeEach(async () => {
    const app = async (request: Request) => (await routes(request)) ?? new Response('no', { status: 404 });
    server = createServer(getRequestListener(app, { overrideGlobalObjects: false }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await reopen({ baseUrl: () => base, options: { maxUploadMb: 8 } });
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('goes up and comes down as it was', async () => {
    const bytes = randomBytes(5_000_000);
    const answer = await fetch(await announce(), { method: 'PUT', body: bytes });
    const { key } = (await answer.json()) as { readonly key: string };
    const link = await storage.files.link(await storage.files.find('local', key), 60);
    expect(Buffer.from(await (await fetch(link)).arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('lets a refused sender read why', async () => {
    const answer = await fetch(await announce(), { method: 'PUT', body: randomBytes(9 * 1024 * 1024) });
    expect([answer.status, await codeOf(answer)]).toEqual([413, 'BODY_TOO_LARGE']);
  });

  it('keeps nothing of an upload that is cut off', async () => {
    const url = await announce();
    const sender = httpRequest(url, { method: 'PUT', headers: { 'content-length': 1_000_000 } });
    const failed = new Promise((resolve) => sender.on('error', resolve));
    sender.write(randomBytes(500_000));
    const partial = async () => (await readdir(join(home, 'files', 'partial')).catch(() => [])).length;
    while ((await partial()) === 0) await new Promise((resolve) => setImmediate(resolve));
    sender.destroy();
    await failed;
    while ((await partial()) > 0) await new Promise((resolve) => setImmediate(resolve));
    // While the first attempt is cleaned up after, the sender is told to wait.
    await expect.poll(async () => (await fetch(url, { method: 'PUT', body: 'the whole' })).status).toBe(201);
    const { files } = await storage.files.list('local', { limit: 5, offset: 0 });
    expect(files.map(({ size }) => size)).toEqual([9]);
  });

  it('closes the file when the reader goes away', async () => {
    const link = await add(randomBytes(7_000_000));
    const gone = new AbortController();
    const answer = await fetch(link, { signal: gone.signal });
    await answer.body?.getReader().read();
    gone.abort();
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
    await expect.poll(openFiles).toBe(0);
  });

  /** How many contents this process has open. */
  async function openFiles(): Promise<number> {
    const descriptors = await readdir('/proc/self/fd').catch(() => []);
    const paths = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
    return paths.filter((path) => path.startsWith(home)).length;
  }
});

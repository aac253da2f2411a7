import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { readAll } from './backends/backend.contract.ts';
import type { Backend } from './backends/backend.ts';
import { createLocalBackend } from './backends/local/backend.ts';
import { openStorage, type Storage, type StorageServerParts } from './context.ts';
import { LEASE_MS, TOUCH_MS } from './limits.ts';
import type { StorageTables } from './tables.ts';
import { type FileDetails, removeOverUpload } from './upload-rows.ts';

let home: string;
let time: number;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'thimble-uploads-'));
  time = Date.parse('2026-05-01T12:00:00Z');
});

afterEach(() => rm(home, { recursive: true, force: true }));

const details: FileDetails = {
  principal: 'local',
  name: 'a.bin',
  mimeType: undefined,
  bucket: 'files',
  referenceType: undefined,
  referenceId: undefined,
};

const open = (store: Store, more: Partial<StorageServerParts> = {}) =>
  openStorage({ store, home, now: () => new Date(time), ...more });
const localBackend = () => createLocalBackend({ folder: join(home, 'files'), toFileUrl: (key) => key });

async function* pieces(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** A body whose end is in the hands of a test. */
function openBody(...chunks: Uint8Array[]) {
  let end = () => {};
  let fail = (_: Error) => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  async function* content(): AsyncGenerator<Uint8Array> {
    yield* chunks;
    await ended;
  }
  return { content: content(), end: () => end(), fail: (error: Error) => fail(error) };
}

const add = (storage: Storage, bytes: Uint8Array, length: number | undefined = bytes.byteLength) =>
  storage.uploads.add(details, { content: pieces(bytes), length });

async function onDisk(): Promise<{ readonly contents: string[]; readonly partial: string[] }> {
  const all = await readdir(home, { recursive: true });
  return {
    contents: all.filter((path) => /[0-9a-f]{64}$/.test(path)),
    partial: all.filter((path) => /partial./.test(path)),
  };
}

/** What the books say, and what is there. */
async function readBooks(store: Store) {
  const { db } = await store.tables<StorageTables>('storage', []);
  const files = await db.selectFrom('storage_files').selectAll().execute();
  const usage = await db.selectFrom('storage_usage').select('bytes').executeTakeFirst();
  const contents = await db.selectFrom('storage_contents').selectAll().orderBy('address').execute();
  const uploads = await db.selectFrom('storage_uploads').selectAll().execute();
  return { files, used: Number(usage?.bytes ?? 0), contents, uploads };
}

async function expectCleanBooks(store: Store): Promise<void> {
  const { files, used, contents, uploads } = await readBooks(store);
  expect(uploads).toEqual([]);
  expect(used).toBe(files.reduce((sum, { size }) => sum + size, 0));
  const refs = new Map<string, number>();
  for (const { address } of files) refs.set(address, (refs.get(address) ?? 0) + 1);
  expect(contents).toEqual([...refs].sort().map(([address, count]) => ({ address, refs: count })));
  const disk = await onDisk();
  expect(disk.partial).toEqual([]);
  expect(disk.contents.map((path) => `local:${path.slice(-64)}`).sort()).toEqual([...refs.keys()].sort());
}

describe('the quota', () => {
  it.each([
    ['announced', 100],
    ['unknown', undefined],
  ])('is never exceeded by uploads of %s length at once', async (_, length) => {
    const store = createMemoryStore();
    const storage = await open(store, { options: { quotaMb: 1000 / 1024 / 1024 } });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 25 }, () =>
        storage.uploads.add(details, { content: pieces(randomBytes(100)), length }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ data: { reason: 'quota' } });
    await expectCleanBooks(store);
  });

  it('is never exceeded by two processes on one store', async () => {
    const path = join(home, 'thimble.db');
    await using first = await openStore(path);
    await using second = await openStore(path);
    const options = { quotaMb: 1000 / 1024 / 1024 };
    const storages = [await open(first, { options }), await open(second, { options })];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => add(storages[index % 2]!, randomBytes(100))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    await expectCleanBooks(first);
  });

  it('has room for the last byte, whatever the length was said to be', async () => {
    for (const length of [1000, undefined]) {
      const storage = await open(createMemoryStore(), { options: { quotaMb: 1000 / 1024 / 1024 } });
      expect(await add(storage, randomBytes(1000), length)).toMatchObject({ size: 1000 });
      await expect(add(storage, randomBytes(1), length && 1)).rejects.toMatchObject({
        data: { reason: 'quota' },
      });
    }
  });

  it('is taken a step at a time when the length is unknown, and no more of it than is needed', async () => {
    const store = createMemoryStore();
    const storage = await open(store, { options: { quotaMb: 20 } });
    const megabytes = Array.from({ length: 20 }, () => randomBytes(1024 * 1024));
    const file = await storage.uploads.add(details, { content: pieces(...megabytes), length: undefined });
    expect(file).toMatchObject({ size: 20 * 1024 * 1024 });
    await expectCleanBooks(store);
  });

  it('counts uploads under way', async () => {
    const storage = await open(createMemoryStore(), { options: { quotaMb: 1000 / 1024 / 1024 } });
    const body = openBody(randomBytes(600));
    const first = storage.uploads.add(details, { content: body.content, length: 600 });
    await expect(add(storage, randomBytes(500))).rejects.toMatchObject({ data: { reason: 'quota' } });
    body.end();
    expect(await first).toMatchObject({ size: 600 });
  });
});

describe('an upload that does not end well', () => {
  it.each([
    ['breaks', { content: openBroken(), length: undefined }, /the client went away/],
    ['is shorter than announced', { content: pieces(new Uint8Array(9)), length: 10 }, /9 bytes where 10/],
    ['is longer than announced', { content: pieces(new Uint8Array(11)), length: 10 }, /11 bytes where 10/],
    [
      'turns out a program after all',
      { content: pieces(Buffer.from('\x7fE'), Buffer.from('LF')), length: 4 },
      /ELF/,
    ],
  ])('leaves nothing when it %s', async (_, body, said) => {
    const store = createMemoryStore();
    const storage = await open(store);
    await expect(storage.uploads.add(details, body)).rejects.toThrow(said);
    await expectCleanBooks(store);
  });

  it('may be sent again to the same URL, and only once to its end', async () => {
    const store = createMemoryStore();
    const storage = await open(store);
    const key = await storage.uploads.announce(details, 3600);
    const broken = storage.uploads.receive(key, { content: openBroken(), length: 50 });
    await expect(broken).rejects.toThrow('the client went away');
    const whole = { content: pieces(randomBytes(50)), length: 50 };
    expect(await storage.uploads.receive(key, whole)).toMatchObject({ id: key, size: 50 });
    const again = storage.uploads.receive(key, { content: pieces(randomBytes(50)), length: 50 });
    await expect(again).rejects.toMatchObject({ data: { reason: 'upload' } });
    await expectCleanBooks(store);
  });

  it('keeps out a second sender meanwhile', async () => {
    const storage = await open(createMemoryStore());
    const key = await storage.uploads.announce(details, 3600);
    const body = openBody(randomBytes(10));
    const first = storage.uploads.receive(key, { content: body.content, length: undefined });
    const second = storage.uploads.receive(key, { content: pieces(randomBytes(10)), length: 10 });
    await expect(second).rejects.toMatchObject({ data: { reason: 'busy' } });
    body.end();
    expect(await first).toMatchObject({ size: 10 });
  });

  it('is forgotten when it never comes', async () => {
    const store = createMemoryStore();
    const storage = await open(store);
    const key = await storage.uploads.announce(details, 3600);
    time += 3_600_000;
    const late = storage.uploads.receive(key, { content: pieces(randomBytes(10)), length: 10 });
    await expect(late).rejects.toMatchObject({ data: { reason: 'upload' } });
    await expectCleanBooks(store);
  });
});

describe('after a crash', () => {
  /** Works until a moment, and from then on does nothing any more, as a process that was killed. */
  function createMortal(dies: 'before put' | 'after put' | 'before keep' | 'after keep'): Backend {
    const real = localBackend();
    const killed = async () => {
      throw new Error('killed');
    };
    return {
      ...real,
      discard: killed,
      async put(incoming) {
        if (dies === 'before put') return killed();
        const taken = await real.put(incoming);
        return dies === 'after put' ? killed() : taken;
      },
      async keep(attempt, address) {
        if (dies === 'after keep') await real.keep(attempt, address);
        await killed();
      },
    };
  }

  it.each(['before put', 'after put', 'before keep', 'after keep'] as const)(
    '%s no half file is seen, and what is left is swept on open',
    async (moment) => {
      const store = createMemoryStore();
      const healthy = await open(store);
      const kept = await add(healthy, Buffer.from('kept'));
      const mortal = await open(store, { backend: createMortal(moment) });
      await expect(add(mortal, randomBytes(5_000))).rejects.toThrow('killed');
      expect((await healthy.files.list('local', { limit: 10, offset: 0 })).total).toBe(1);
      time += LEASE_MS + 1;
      await open(store);
      await expectCleanBooks(store);
      expect(await readAll(await localBackend().get(kept.address))).toEqual(Buffer.from('kept'));
    },
  );

  it('an equal content that others have survives the sweep', async () => {
    const store = createMemoryStore();
    const bytes = randomBytes(100);
    await add(await open(store), bytes);
    const mortal = await open(store, { backend: createMortal('after keep') });
    await expect(add(mortal, bytes)).rejects.toThrow('killed');
    time += LEASE_MS + 1;
    await open(store);
    await expectCleanBooks(store);
  });

  it('takes an upload under way for dead only when it no longer shows', async () => {
    const store = createMemoryStore();
    const clock = createFakeClock();
    const storage = await open(store, { clock });
    const body = openBody(randomBytes(10));
    const running = storage.uploads.add(details, { content: body.content, length: 10 });
    await clock.advance(0);
    for (let shown = 0; shown < 6; shown++) {
      time += TOUCH_MS;
      await clock.advance(TOUCH_MS);
      await open(store);
    }
    body.end();
    expect(await running).toMatchObject({ size: 10 });
    await expectCleanBooks(store);
  });

  it('leaves alone an upload that showed again between the look and the sweep', async () => {
    const store = createMemoryStore();
    const storage = await open(store);
    const body = openBody(randomBytes(10));
    const running = storage.uploads.add(details, { content: body.content, length: 10 });
    await until(async () => (await onDisk()).partial.length === 1);
    const [row] = (await readBooks(store)).uploads;
    const { db } = await store.tables<StorageTables>('storage', []);
    const parts = { db, backend: localBackend(), quota: 100, maxUpload: 100, clock: createFakeClock() };
    await removeOverUpload({ ...parts, now: () => time, newKey: () => '' }, row!);
    body.end();
    expect(await running).toMatchObject({ size: 10 });
  });

  it('an upload that was given up cannot become a file when it wakes', async () => {
    const store = createMemoryStore();
    const storage = await open(store);
    const body = openBody(randomBytes(10));
    const asleep = storage.uploads.add(details, { content: body.content, length: 10 });
    await until(async () => (await onDisk()).partial.length === 1);
    time += LEASE_MS + 1;
    await open(store);
    expect((await readBooks(store)).uploads).toEqual([]);
    body.end();
    await expect(asleep).rejects.toMatchObject({ data: { reason: 'busy' } });
    time += LEASE_MS + 1;
    await open(store);
    await expectCleanBooks(store);
  });

  it('looks again once what died just now cannot look alive any more', async () => {
    const store = createMemoryStore();
    const mortal = await open(store, { backend: createMortal('after put') });
    await expect(add(mortal, randomBytes(10))).rejects.toThrow('killed');
    const clock = createFakeClock();
    await open(store, { clock });
    expect((await readBooks(store)).uploads).toHaveLength(1);
    time += LEASE_MS + 1_000;
    await clock.advance(LEASE_MS + 1_000);
    await until(async () => (await readBooks(store)).uploads.length === 0);
    await expectCleanBooks(store);
  });
});

async function take(
  storage: Storage,
  { content, does }: { content: string; does: string },
): Promise<unknown> {
  if (does === 'add') return add(storage, Buffer.from(content));
  if (does === 'break') return storage.uploads.add(details, { content: openBroken(), length: 4 });
  const { files } = await storage.files.list('local', { limit: 1, offset: 0 });
  return storage.files.delete('local', files[0]?.id ?? '');
}

it('keeps its books whatever is uploaded, broken off and deleted, in any order and at once', async () => {
  const step = fc.record({
    content: fc.constantFrom('a', 'b', 'c', 'dd'),
    does: fc.constantFrom('add', 'add', 'break', 'delete'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 6 }), async (rounds) => {
      await rm(join(home, 'files'), { recursive: true, force: true });
      const store = createMemoryStore();
      const storage = await open(store, { options: { quotaMb: 12 / 1024 / 1024 } });
      for (const steps of rounds) await Promise.allSettled(steps.map((each) => take(storage, each)));
      await expectCleanBooks(store);
    }),
    { numRuns: 25 },
  );
});

async function* openBroken(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(4);
  throw new Error('the client went away');
}

async function until(met: () => Promise<boolean>): Promise<void> {
  while (!(await met())) await new Promise((resolve) => setImmediate(resolve));
}

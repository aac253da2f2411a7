import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { describe, it } from 'vitest';
import type { UpstreamId } from '../model/ids.ts';
import type { Manifest } from '../model/manifest.ts';
import { createLibsqlDialect, openLibsql } from './dialects/libsql.ts';
import { openStore } from './open.ts';

const FILES = 'files' as UpstreamId;
const LIBSQL = createRequire(import.meta.url).resolve('libsql');

/** What a statement waits for a lock, so that what waits twice can be told from what waits once. */
const WAIT_MS = 5_000;
/** Longer than a busy machine delays a turn of the event loop. */
const STALL_MS = 250;
/** A machine may stand still by itself; what is tested would stand still every time. */
const RETRY = { retry: 2 };

const MANIFEST: Manifest = {
  hello: {
    era: 'legacy',
    protocolVersion: '2025-11-25',
    serverInfo: { name: 'files', version: '1' },
    capabilities: {},
    instructions: undefined,
  },
  lists: { tool: [{ name: 'read' }], resource: [], template: [], prompt: [] },
};

async function openFolder(): Promise<AsyncDisposable & { path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'thimble-locked-'));
  return {
    path: join(folder, 'thimble.db'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

interface HeldLock extends AsyncDisposable {
  /** Lets go of it. */
  release(): void;
}

/** Lets another process hold the file until it is told to let go; resolves once it does. */
async function holdLock(path: string, lockSql: string): Promise<HeldLock> {
  const program = `const D = require(${JSON.stringify(LIBSQL)}); const d = new D(${JSON.stringify(path)});
    d.exec(${JSON.stringify(lockSql)}); console.log('held');
    process.stdin.resume().on('end', () => { d.exec('rollback'); process.exit(0); });`;
  const holder = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => {
    holder.stdout.once('data', resolve);
    holder.once('exit', () => reject(new Error('the lock holder ended early')));
  });
  return {
    release: () => void holder.stdin.end(),
    async [Symbol.asyncDispose]() {
      holder.kill('SIGKILL');
    },
  };
}

/** Runs something, and measures how long it took and for how much of that the event loop stood still. */
async function withStalls<T>(
  run: () => Promise<T>,
): Promise<{ result: T; tookMs: number; stalledMs: number }> {
  const started = performance.now();
  let stalledMs = 0;
  let last = started;
  const look = () => {
    const now = performance.now();
    if (now - last > STALL_MS) stalledMs += now - last;
    last = now;
  };
  const looking = setInterval(look, 5);
  const result = await run();
  look();
  clearInterval(looking);
  return { result, tookMs: performance.now() - started, stalledMs };
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.concurrent('a store held by another process', () => {
  it('is written after a short wait, and the event loop never stands still', RETRY, async ({ expect }) => {
    await using folder = await openFolder();
    const { path } = folder;
    await using store = await openStore(path);
    await store.manifests.save('warm', FILES, MANIFEST);
    await using lock = await holdLock(path, 'begin immediate');
    const steps: string[] = [];
    setTimeout(() => {
      steps.push('released');
      lock.release();
    }, 500);
    const { tookMs, stalledMs } = await withStalls(() => store.manifests.save('key', FILES, MANIFEST));
    steps.push('written');
    expect(steps).toEqual(['released', 'written']);
    expect(stalledMs).toBeLessThan(tookMs / 2);
    expect(await store.manifests.load('key')).toEqual({ manifest: MANIFEST });
  });

  it('is opened and written without an error when the lock lasts two seconds', RETRY, async ({ expect }) => {
    await using folder = await openFolder();
    const { path } = folder;
    await using lock = await holdLock(path, 'begin exclusive');
    setTimeout(() => lock.release(), 2_000);
    const { tookMs, stalledMs } = await withStalls(async () => {
      await using store = await openStore(path);
      await store.manifests.save('key', FILES, MANIFEST);
    });
    expect(stalledMs).toBeLessThan(tookMs / 2);
  });

  it('is refused as locked after a while, though the lock goes on', RETRY, async ({ expect }) => {
    await using folder = await openFolder();
    const { path } = folder;
    await using _ = await holdLock(path, 'begin exclusive');
    const { result, tookMs, stalledMs } = await withStalls(() => failure(openStore(path)));
    expect(result).toMatchObject({ code: 'STORE_LOCKED', message: expect.stringContaining(path) });
    expect(tookMs).toBeLessThan(2 * WAIT_MS);
    expect(stalledMs).toBeLessThan(tookMs / 2);
  });

  it('refuses a write as locked and works again afterwards', async ({ expect }) => {
    await using folder = await openFolder();
    const { path } = folder;
    await using store = await openStore(path);
    await using lock = await holdLock(path, 'begin immediate');
    const { result, tookMs } = await withStalls(() => failure(store.manifests.save('key', FILES, MANIFEST)));
    expect(result).toMatchObject({ code: 'STORE_LOCKED' });
    expect(tookMs).toBeLessThan(2 * WAIT_MS);
    lock.release();
    await store.manifests.save('key', FILES, MANIFEST);
    expect(await store.manifests.load('key')).toEqual({ manifest: MANIFEST });
  });

  it('refuses writes that stand behind one another, all of them after one wait', async ({ expect }) => {
    await using folder = await openFolder();
    const { path } = folder;
    await using store = await openStore(path);
    await using _ = await holdLock(path, 'begin immediate');
    const { result, tookMs } = await withStalls(() =>
      Promise.all(['a', 'b', 'c'].map((key) => failure(store.manifests.save(key, FILES, MANIFEST)))),
    );
    for (const refused of result) expect(refused).toMatchObject({ code: 'STORE_LOCKED' });
    expect(tookMs).toBeLessThan(2 * WAIT_MS);
  });

  it('opens although another process holds the write lock, since nothing has to be written', async ({
    expect,
  }) => {
    await using folder = await openFolder();
    const { path } = folder;
    await (await openStore(path))[Symbol.asyncDispose]();
    await using _ = await holdLock(path, 'begin immediate');
    await using store = await openStore(path);
    expect(await store.manifests.load('key')).toBeUndefined();
  });

  it.for(['was served', 'was refused'])(
    'is let go after a read that had to wait for it and %s',
    async (end, { expect }) => {
      await using folder = await openFolder();
      const { path } = folder;
      // Without the log, where readers and writers shut one another out.
      const other = await openLibsql(path);
      await other.exec('create table things (id integer)');
      const connection = await openLibsql(path);
      const db = new Kysely<{ things: { id: number } }>({ dialect: createLibsqlDialect(connection, path) });
      const read = () => db.selectFrom('things').select('id').execute();
      await read();
      await other.exec('begin exclusive');
      const waiting = failure(read());
      if (end === 'was refused') expect(await waiting).toMatchObject({ code: 'STORE_LOCKED' });
      else await new Promise((resolve) => setTimeout(resolve, 300));
      await other.exec('commit');
      if (end === 'was served') expect(await waiting).toBeUndefined();
      await db.insertInto('things').values({ id: 1 }).execute();
      // Refused at once if the connection still held anything.
      await other.exec('begin exclusive');
      await other.exec('commit');
      await db.destroy();
      other.close();
    },
  );
});

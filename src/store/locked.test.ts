import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Kysely } from 'kysely';
import { describe, it } from 'vitest';
import type { UpstreamId } from '../model/ids.ts';
import type { Manifest } from '../model/manifest.ts';
import { createLibsqlDialect, openLibsql } from './dialects/libsql.ts';
import { openStore } from './open.ts';

const FILES = 'files' as UpstreamId;
const LIBSQL = createRequire(import.meta.url).resolve('libsql');

/** A busy machine may delay the event loop by itself; what is tested would delay it every time. */
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

/** Lets another process hold the file; resolves once it does. */
async function holdLock(path: string, lockSql: string, holdMs: number): Promise<AsyncDisposable> {
  const program = `const D = require(${JSON.stringify(LIBSQL)}); const d = new D(${JSON.stringify(path)});
    d.exec(${JSON.stringify(lockSql)}); console.log('held');
    setTimeout(() => { if (d.inTransaction) d.exec('rollback'); process.exit(0); }, ${holdMs});`;
  const holder = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => {
    holder.stdout.once('data', resolve);
    holder.once('exit', () => reject(new Error('the lock holder ended early')));
  });
  return {
    async [Symbol.asyncDispose]() {
      holder.kill('SIGKILL');
    },
  };
}

/** Runs something and measures how long the event loop stood still meanwhile. */
async function withLag<T>(run: () => Promise<T>): Promise<{ result: T; tookMs: number; lagMs: number }> {
  const monitor = monitorEventLoopDelay({ resolution: 5 });
  monitor.enable();
  const started = performance.now();
  const result = await run();
  const tookMs = performance.now() - started;
  // A stall is only counted once the loop turns again.
  await new Promise((resolve) => setTimeout(resolve, 20));
  monitor.disable();
  return { result, tookMs, lagMs: monitor.max / 1e6 };
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
    await using _ = await holdLock(path, 'begin immediate', 500);
    const { tookMs, lagMs } = await withLag(() => store.manifests.save('key', FILES, MANIFEST));
    expect(tookMs).toBeGreaterThan(300);
    expect(lagMs).toBeLessThan(100);
    expect(await store.manifests.load('key')).toEqual({ manifest: MANIFEST });
  });

  it(
    'is opened and written without an error when the lock lasts three seconds',
    RETRY,
    async ({ expect }) => {
      await using folder = await openFolder();
      const { path } = folder;
      await using _ = await holdLock(path, 'begin exclusive', 3_000);
      const { lagMs } = await withLag(async () => {
        await using store = await openStore(path);
        await store.manifests.save('key', FILES, MANIFEST);
      });
      expect(lagMs).toBeLessThan(100);
    },
  );

  it('is refused as locked within six seconds when the lock lasts thirty', RETRY, async ({ expect }) => {
    await using folder = await openFolder();
    const { path } = folder;
    await using _ = await holdLock(path, 'begin exclusive', 30_000);
    const { result, tookMs, lagMs } = await withLag(() => failure(openStore(path)));
    expect(result).toMatchObject({ code: 'STORE_LOCKED', message: expect.stringContaining(path) });
    expect(tookMs).toBeLessThan(6_000);
    expect(lagMs).toBeLessThan(100);
  });

  it('refuses a write as locked within six seconds and works again afterwards', RETRY, async ({ expect }) => {
    await using folder = await openFolder();
    const { path } = folder;
    await using store = await openStore(path);
    await using _ = await holdLock(path, 'begin immediate', 5_600);
    const { result, tookMs } = await withLag(() => failure(store.manifests.save('key', FILES, MANIFEST)));
    expect(result).toMatchObject({ code: 'STORE_LOCKED' });
    expect(tookMs).toBeLessThan(6_000);
    await store.manifests.save('key', FILES, MANIFEST);
    expect(await store.manifests.load('key')).toEqual({ manifest: MANIFEST });
  });

  it(
    'refuses writes that stand behind one another within six seconds, all of them',
    RETRY,
    async ({ expect }) => {
      await using folder = await openFolder();
      const { path } = folder;
      await using store = await openStore(path);
      await using _ = await holdLock(path, 'begin immediate', 20_000);
      const { result, tookMs } = await withLag(() =>
        Promise.all(['a', 'b', 'c'].map((key) => failure(store.manifests.save(key, FILES, MANIFEST)))),
      );
      for (const refused of result) expect(refused).toMatchObject({ code: 'STORE_LOCKED' });
      expect(tookMs).toBeLessThan(6_000);
    },
  );

  it(
    'opens at once although another process holds the write lock, since nothing has to be written',
    RETRY,
    async ({ expect }) => {
      await using folder = await openFolder();
      const { path } = folder;
      await (await openStore(path))[Symbol.asyncDispose]();
      await using _ = await holdLock(path, 'begin immediate', 10_000);
      const { tookMs } = await withLag(async () => {
        await using store = await openStore(path);
        expect(await store.manifests.load('key')).toBeUndefined();
      });
      expect(tookMs).toBeLessThan(1_000);
    },
  );

  it.for([300, 5_600])(
    'is let go after a read that had to wait %i ms for it, however that read ended',
    RETRY,
    async (holdMs, { expect }) => {
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
      await new Promise((resolve) => setTimeout(resolve, holdMs));
      await other.exec('commit');
      expect(await waiting).toEqual(
        holdMs > 5_000 ? expect.objectContaining({ code: 'STORE_LOCKED' }) : undefined,
      );
      await db.insertInto('things').values({ id: 1 }).execute();
      // Refused at once if the connection still held anything.
      await other.exec('begin exclusive');
      await other.exec('commit');
      await db.destroy();
      other.close();
    },
  );
});

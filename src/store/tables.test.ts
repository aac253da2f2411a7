import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMemoryStore } from './memory-store.ts';
import type { Migration } from './migrate.ts';
import { openStore } from './open.ts';
import type { Store } from './store.ts';

interface Tables {
  readonly things: { readonly id: number; readonly name: string; readonly done: number };
}

function creatingThings(log: string[] = []): Migration {
  return {
    owner: 'things',
    id: '0001-things',
    async up(db, ddl) {
      log.push('things');
      await db.schema
        .createTable('things')
        .addColumn('id', 'integer', ddl.id)
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('done', 'integer', (column) => column.notNull())
        .execute();
    },
  };
}

async function toTempPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'thimble-tables-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'thimble.db');
}

const kinds: readonly (readonly [string, () => Promise<Store>])[] = [
  ['a file store', async () => openStore(await toTempPath())],
  ['a memory store', async () => createMemoryStore()],
];

describe.each(kinds)('tables of %s', (_, open) => {
  it('are made once, however often they are opened', async () => {
    await using store = await open();
    const log: string[] = [];
    const opened = await Promise.all(
      [1, 2, 3].map(() => store.tables<Tables>('things', [creatingThings(log)])),
    );
    await opened[0]!.db.insertInto('things').values({ id: 1, name: 'one', done: 0 }).execute();
    expect(await opened[2]!.db.selectFrom('things').select('name').execute()).toEqual([{ name: 'one' }]);
    expect(log).toEqual(['things']);
  });

  it('never give the number of a deleted row again', async () => {
    await using store = await open();
    const { db } = await store.tables<Tables & { things: { id: never } }>('things', [creatingThings()]);
    const add = () =>
      db
        .insertInto('things')
        .values({ name: 'x', done: 0 } as never)
        .returning('id')
        .executeTakeFirstOrThrow();
    const first = await add();
    await db.deleteFrom('things').execute();
    expect((await add()).id).toBeGreaterThan(first.id);
  });

  it('take truth values as numbers, since the driver would end the process over one', async () => {
    await using store = await open();
    const { db } = await store.tables<Tables>('things', [creatingThings()]);
    await db
      .insertInto('things')
      .values({ id: 1, name: 'one', done: true as never })
      .execute();
    expect(
      await db
        .selectFrom('things')
        .select('done')
        .where('done', '=', true as never)
        .execute(),
    ).toEqual([{ done: 1 }]);
  });

  it('are tried again after a step failed', async () => {
    await using store = await open();
    const failing = { ...creatingThings(), up: () => Promise.reject(new Error('not now')) };
    await expect(store.tables('things', [failing])).rejects.toThrow('not now');
    const { db } = await store.tables<Tables>('things', [creatingThings()]);
    expect(await db.selectFrom('things').selectAll().execute()).toEqual([]);
  });
});

describe('tables in a file', () => {
  it('do not keep a version without them from opening the store', async () => {
    const path = await toTempPath();
    {
      await using store = await openStore(path);
      await store.tables('things', [creatingThings()]);
    }
    await using store = await openStore(path);
    expect(store.degraded).toBeUndefined();
  });

  it('are refused when a newer version changed them, and only they', async () => {
    const path = await toTempPath();
    await using store = await openStore(path);
    const later: Migration = { owner: 'things', id: '0002-later', up: async () => {} };
    await store.tables('things', [creatingThings(), later]);
    await using older = await openStore(path);
    await expect(older.tables('things', [creatingThings()])).rejects.toMatchObject({ code: 'STORE_NEWER' });
    await older.tables('others', [{ ...creatingThings(), owner: 'others', up: async () => {} }]);
  });

  it('can be made by two connections at once', async () => {
    const path = await toTempPath();
    await using one = await openStore(path);
    await using two = await openStore(path);
    const log: string[] = [];
    await Promise.all([one, two].map((store) => store.tables('things', [creatingThings(log)])));
    expect(log).toEqual(['things']);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLibsqlDialect, openLibsql } from './dialects/libsql.ts';
import { type Migration, migrate } from './migrate.ts';

let path: string;

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'thimble-migrate-'));
  path = join(folder, 'test.db');
  return () => rm(folder, { recursive: true, force: true });
});

async function open(): Promise<Kysely<unknown>> {
  const connection = await openLibsql(path);
  await connection.exec('pragma busy_timeout = 10; pragma journal_mode = wal');
  const db = new Kysely<unknown>({ dialect: createLibsqlDialect(connection, path) });
  onTestFinished(() => db.destroy());
  return db;
}

function creating(table: string, log: string[] = []): Migration {
  return {
    owner: 'test',
    id: table,
    async up(db) {
      log.push(table);
      await db.schema.createTable(table).addColumn('id', 'integer').execute();
    },
  };
}

async function tableNames(db: Kysely<unknown>): Promise<string[]> {
  return (await db.introspection.getTables()).map((table) => table.name).sort();
}

describe('migrate', () => {
  it('applies each step once and in order', async () => {
    const log: string[] = [];
    const db = await open();
    await migrate(db, { path, migrations: [creating('b', log)] });
    await migrate(db, { path, migrations: [creating('b', log), creating('a', log)] });
    await migrate(db, { path, migrations: [creating('b', log), creating('a', log)] });
    expect(log).toEqual(['b', 'a']);
    expect(await tableNames(db)).toEqual(['a', 'b', 'thimble_migrations']);
  });

  it('keeps steps of two owners apart although their ids are equal', async () => {
    const db = await open();
    const other = { ...creating('b'), id: 'a', owner: 'other' };
    await migrate(db, { path, migrations: [creating('a'), other] });
    expect(await tableNames(db)).toEqual(['a', 'b', 'thimble_migrations']);
  });

  it('undoes a step that fails and keeps the ones before it', async () => {
    const db = await open();
    const failing: Migration = {
      owner: 'test',
      id: 'failing',
      async up(inner, ddl) {
        await creating('half').up(inner, ddl);
        throw new Error('no further');
      },
    };
    await expect(migrate(db, { path, migrations: [creating('a'), failing] })).rejects.toThrow('no further');
    expect(await tableNames(db)).toEqual(['a', 'thimble_migrations']);
    await migrate(db, { path, migrations: [creating('a'), creating('failing')] });
    expect(await tableNames(db)).toEqual(['a', 'failing', 'thimble_migrations']);
  });

  it('refuses a database with steps it does not know and changes nothing', async () => {
    const db = await open();
    await migrate(db, { path, migrations: [creating('a'), creating('later')] });
    await expect(migrate(db, { path, migrations: [creating('a'), creating('b')] })).rejects.toMatchObject({
      code: 'STORE_NEWER',
      data: { unknown: ['test/later'] },
    });
    expect(await tableNames(db)).toEqual(['a', 'later', 'thimble_migrations']);
  });

  it('does not stumble over the steps of owners it was not asked about', async () => {
    const db = await open();
    await migrate(db, { path, migrations: [{ ...creating('a'), owner: 'other' }] });
    await migrate(db, { path, migrations: [creating('b')] });
    await migrate(db, { path, migrations: [{ ...creating('a'), owner: 'other' }] });
    expect(await tableNames(db)).toEqual(['a', 'b', 'thimble_migrations']);
  });

  it('lets one of two connections migrate while the other waits and goes on', async () => {
    const log: string[] = [];
    const migrations = ['a', 'b', 'c'].map((table) => creating(table, log));
    const [first, second] = [await open(), await open()];
    await Promise.all([migrate(first, { path, migrations }), migrate(second, { path, migrations })]);
    expect(log).toEqual(['a', 'b', 'c']);
    expect(await tableNames(second)).toEqual(['a', 'b', 'c', 'thimble_migrations']);
  });
});

/** Brings a database to the schema this version knows, once, whoever else tries at the same moment. */
import type { Kysely } from 'kysely';
import { GatewayError } from '../errors/gateway-error.ts';
import type { Ddl } from './ddl.ts';
import { SQLITE_DDL } from './dialects/sqlite-ddl.ts';
import type { MigrationRow } from './schema.ts';

/** One step of a schema; steps of an owner run in the order they are listed and are never changed later. */
export interface Migration {
  /** The part of the house whose tables these are. */
  readonly owner: string;
  readonly id: string;
  up(db: Kysely<unknown>, ddl: Ddl): Promise<void>;
}

/** Which database, and all the steps of some owners that this version knows, used or not. */
export interface MigrateOptions {
  readonly path: string;
  readonly migrations: readonly Migration[];
}

const TABLE = 'thimble_migrations';

interface MigrationTables {
  readonly [TABLE]: MigrationRow;
}

/** The steps still to be applied; refuses, without changing anything, a database where these owners have others. */
export async function pendingMigrations(
  db: Kysely<unknown>,
  { path, migrations }: MigrateOptions,
): Promise<readonly Migration[]> {
  const applied = await appliedKeys(db, new Set(migrations.map(({ owner }) => owner)));
  const known = new Set(migrations.map(toKey));
  const unknown = [...applied].filter((key) => !known.has(key));
  if (unknown.length > 0) {
    throw new GatewayError(
      'STORE_NEWER',
      `the store ${path} was written by a newer Thimble (it has ${unknown.join(', ')}); update Thimble, or choose another data directory with --home`,
      { data: { path, unknown } },
    );
  }
  return migrations.filter((migration) => !applied.has(toKey(migration)));
}

/** Applies what is missing, each step in a transaction of its own. */
export async function migrate(db: Kysely<unknown>, options: MigrateOptions): Promise<void> {
  for (const { owner, id, up } of await pendingMigrations(db, options)) {
    await db.transaction().execute(async (transaction) => {
      // Another process may have applied it, or more, while this one waited for the lock.
      const pending = await pendingMigrations(transaction, options);
      if (!pending.some((migration) => migration.owner === owner && migration.id === id)) return;
      await createTable(transaction);
      await up(transaction, SQLITE_DDL);
      await inMigrations(transaction)
        .insertInto(TABLE)
        .values({ owner, id, applied_at: new Date().toISOString() })
        .execute();
    });
  }
}

async function appliedKeys(db: Kysely<unknown>, owners: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const tables = await db.introspection.getTables();
  if (!tables.some((table) => table.name === TABLE)) return new Set();
  const rows = await inMigrations(db).selectFrom(TABLE).select(['owner', 'id']).execute();
  return new Set(rows.filter(({ owner }) => owners.has(owner)).map(toKey));
}

async function createTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable(TABLE)
    .ifNotExists()
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint(`${TABLE}_pk`, ['owner', 'id'])
    .execute();
}

function inMigrations(db: Kysely<unknown>): Kysely<MigrationTables> {
  return db as Kysely<MigrationTables>;
}

function toKey({ owner, id }: { readonly owner: string; readonly id: string }): string {
  return `${owner}/${id}`;
}

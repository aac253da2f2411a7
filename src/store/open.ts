/** Opens the store file, or says in a typed error why it cannot; never deletes or repairs what it finds. */
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Kysely } from 'kysely';
import { GatewayError } from '../errors/gateway-error.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { createCipher } from './cipher.ts';
import { countSealed } from './count-sealed.ts';
import { createCredentialStore } from './credentials.ts';
import { createLibsqlDialect, type LibsqlConnection, openLibsql } from './dialects/libsql.ts';
import { checkFile, checkLength, type FileFacts } from './file-check.ts';
import { createKeySource } from './key-source.ts';
import { createLessonStore } from './lessons.ts';
import { createManifestStore } from './manifests.ts';
import { createMemoryStore } from './memory-store.ts';
import { type Migration, migrate, pendingMigrations } from './migrate.ts';
import { GATEWAY_MIGRATIONS } from './migrations.ts';
import type { Tables } from './schema.ts';
import type { Store } from './store.ts';
import { toStoreError } from './store-error.ts';
import { createTableOpener } from './tables.ts';
import { BUSY_TIMEOUT_MS, toDeadline, waitForLock } from './wait-for-lock.ts';

/** Grows as it is needed; SQLite's own two megabytes are too few for full text over many rows. */
const CACHE_KIB = 16_000;

/** What a store may be told beside its path. */
export interface StoreOptions {
  /** The key that seals secrets; without one a key file beside the store is made and used. */
  readonly key?: string | undefined;
}

/** Opens or creates the store at a path; waits up to five seconds for another process that holds it. */
export async function openStore(path: string, { key }: StoreOptions = {}): Promise<Store> {
  const db = await openDatabase(path, GATEWAY_MIGRATIONS);
  const shared = db as Kysely<unknown>;
  const keys = createKeySource({
    given: key,
    folder: dirname(path),
    countSealed: () => countSealed(shared),
  });
  const cipher = createCipher(keys.toSeal, keys.toOpen);
  return {
    degraded: undefined,
    manifests: createManifestStore(db),
    lessons: createLessonStore(db),
    credentials: createCredentialStore(db, cipher),
    cipher,
    tables: createTableOpener(shared, path),
    [Symbol.asyncDispose]: () => db.destroy(),
  };
}

/** Opens the store, or a memory store that says why the file could not be used. */
export async function openStoreOrMemory(path: string, options: StoreOptions = {}): Promise<Store> {
  try {
    return await openStore(path, options);
  } catch (error) {
    if (error instanceof GatewayError) return createMemoryStore(error.message);
    throw error;
  }
}

/** Opens a database file and brings it to the given schema. */
export async function openDatabase(path: string, migrations: readonly Migration[]): Promise<Kysely<Tables>> {
  let connection: LibsqlConnection | undefined;
  try {
    const before = await checkFile(path);
    if (before.size === undefined) await createFile(path);
    connection = await openLibsql(path);
    return await prepare(connection, path, before, migrations);
  } catch (error) {
    connection?.close();
    throw toStoreError(error, path);
  }
}

/** Makes it for its owner alone; only where there is none, since nobody can have that open. */
async function createFile(path: string): Promise<void> {
  makeFolder(dirname(path), 0o700);
  try {
    await (await open(path, 'ax', 0o600)).close();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

async function prepare(
  connection: LibsqlConnection,
  path: string,
  before: FileFacts,
  migrations: readonly Migration[],
): Promise<Kysely<Tables>> {
  const deadline = toDeadline();
  const exec = (sql: string) => waitForLock(() => connection.exec(sql), deadline);
  const db = new Kysely<unknown>({ dialect: createLibsqlDialect(connection, path) });
  await exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}; pragma foreign_keys = on`);
  await exec('select count(*) from sqlite_schema');
  await checkLength(path, before, connection);
  // Asked before anything is set, so that a newer store stays as it is to the byte.
  const pending = await pendingMigrations(db, { path, migrations });
  await exec('pragma journal_mode = wal');
  await exec('pragma synchronous = full');
  await exec(`pragma cache_size = -${CACHE_KIB}`);
  if (pending.length > 0) await migrate(db, { path, migrations });
  return db as Kysely<Tables>;
}

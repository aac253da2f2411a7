/** The tables of storage, step by step, in SQL that every database speaks. */
import type { Kysely } from 'kysely';
import type { Migration } from '../../store/migrate.ts';

/** The owner of these tables. */
export const OWNER = 'storage';

/** Every step of the schema; only ever appended to. */
export const MIGRATIONS: readonly Migration[] = [
  {
    owner: OWNER,
    id: '0001-files',
    async up(db) {
      await createFiles(db);
      await createUploads(db);
      await createCounters(db);
    },
  },
];

async function createFiles(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('storage_files')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('mime_type', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('bucket', 'text', (column) => column.notNull())
    .addColumn('reference_type', 'text')
    .addColumn('reference_id', 'text')
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('storage_files_by_age')
    .on('storage_files')
    .columns(['principal', 'created_at', 'id'])
    .execute();
  await db.schema
    .createIndex('storage_files_by_reference')
    .on('storage_files')
    .columns(['principal', 'reference_type', 'reference_id'])
    .execute();
  await db.schema
    .createIndex('storage_files_by_bucket')
    .on('storage_files')
    .columns(['principal', 'bucket', 'size'])
    .execute();
}

async function createUploads(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('storage_uploads')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('mime_type', 'text')
    .addColumn('bucket', 'text', (column) => column.notNull())
    .addColumn('reference_type', 'text')
    .addColumn('reference_id', 'text')
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempt', 'text')
    .addColumn('reserved', 'bigint', (column) => column.notNull())
    .addColumn('touched_at', 'bigint', (column) => column.notNull())
    .execute();
}

async function createCounters(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('storage_contents')
    .addColumn('address', 'text', (column) => column.primaryKey())
    .addColumn('refs', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('storage_contents_by_refs')
    .on('storage_contents')
    .columns(['refs', 'address'])
    .execute();
  await db.schema
    .createTable('storage_usage')
    .addColumn('principal', 'text', (column) => column.primaryKey())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('storage_settings')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
}

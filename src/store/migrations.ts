/** The gateway's own tables, step by step, in SQL that every database speaks. */
import type { Migration } from './migrate.ts';

/** Every step of the gateway's schema; only ever appended to. */
export const GATEWAY_MIGRATIONS: readonly Migration[] = [
  {
    owner: 'gateway',
    id: '0001-manifests',
    async up(db) {
      await db.schema
        .createTable('manifests')
        .addColumn('instance_key', 'text', (column) => column.primaryKey())
        .addColumn('upstream', 'text', (column) => column.notNull())
        .addColumn('manifest', 'text', (column) => column.notNull())
        .addColumn('seen_at', 'text', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('manifests_by_upstream').on('manifests').column('upstream').execute();
    },
  },
  {
    owner: 'gateway',
    id: '0002-credentials',
    async up(db) {
      await db.schema
        .createTable('credentials')
        .addColumn('instance_key', 'text', (column) => column.notNull())
        .addColumn('issuer', 'text', (column) => column.notNull())
        .addColumn('upstream', 'text', (column) => column.notNull())
        .addColumn('sealed', 'text', (column) => column.notNull())
        .addColumn('saved_at', 'text', (column) => column.notNull())
        .addColumn('claimed_until', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('credentials_pk', ['instance_key', 'issuer'])
        .execute();
      await db.schema.createIndex('credentials_by_upstream').on('credentials').column('upstream').execute();
    },
  },
  {
    owner: 'gateway',
    id: '0003-lessons',
    async up(db) {
      await db.schema
        .createTable('lessons')
        .addColumn('principal', 'text', (column) => column.primaryKey())
        .addColumn('lessons', 'text', (column) => column.notNull())
        .execute();
    },
  },
];

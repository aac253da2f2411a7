/** The memory server's tables, step by step; only ever appended to. */
import { sql } from 'kysely';
import type { Migration } from '../../store/migrate.ts';
import { addTagKeys } from '../tag-keys.ts';

/** The owner of these tables. */
export const OWNER = 'memory';

/** Every step of the schema. */
export const MIGRATIONS: readonly Migration[] = [
  {
    owner: OWNER,
    id: '0001-memories',
    async up(db, ddl) {
      await db.schema
        .createTable('memories')
        .addColumn('id', 'integer', ddl.id)
        .addColumn('principal', 'text', (column) => column.notNull())
        .addColumn('category', 'text', (column) => column.notNull())
        .addColumn('content', 'text', (column) => column.notNull())
        .addColumn('context', 'text')
        .addColumn('tags', 'text')
        .addColumn('source', 'text')
        .addColumn('importance', 'integer', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('updated_at', 'text', (column) => column.notNull())
        .addColumn('accessed_at', 'text')
        .addColumn('access_count', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('grams', 'text')
        .execute();
      for (const column of ['category', 'importance', 'created_at', 'accessed_at']) {
        await db.schema
          .createIndex(`memories_by_${column}`)
          .on('memories')
          .columns(['principal', column, 'id'])
          .execute();
      }
      const columns = ['content', 'context', 'tags', 'source', 'category', 'grams'];
      await ddl.createFullText(db, { table: 'memories', columns });
    },
  },
  {
    owner: OWNER,
    id: '0002-context-sections',
    async up(db, ddl) {
      await db.schema
        .createTable('context_sections')
        .addColumn('id', 'integer', ddl.id)
        .addColumn('principal', 'text', (column) => column.notNull())
        .addColumn('section_key', 'text', (column) => column.notNull())
        .addColumn('section_title', 'text', (column) => column.notNull())
        .addColumn('content', 'text', (column) => column.notNull())
        .addColumn('sort_order', 'integer', (column) => column.notNull())
        .addColumn('enabled', 'integer', (column) => column.notNull().defaultTo(1))
        .addColumn('device_id', 'text')
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('updated_at', 'text', (column) => column.notNull())
        .execute();
      // Two indexes, since a unique one takes two nulls for different.
      await db.schema
        .createIndex('context_sections_global')
        .unique()
        .on('context_sections')
        .columns(['principal', 'section_key'])
        .where(sql.ref('device_id'), 'is', null)
        .execute();
      await db.schema
        .createIndex('context_sections_of_device')
        .unique()
        .on('context_sections')
        .columns(['principal', 'section_key', 'device_id'])
        .where(sql.ref('device_id'), 'is not', null)
        .execute();
    },
  },
  { owner: OWNER, id: '0003-tag-keys', up: (db) => addTagKeys(db, 'memories') },
];

/** The tables of projects, step by step; only ever appended to. */
import type { Kysely } from 'kysely';
import type { Ddl } from '../../store/ddl.ts';
import type { Migration } from '../../store/migrate.ts';
import { addTagKeys } from '../tag-keys.ts';

/** The owner of these tables. */
export const OWNER = 'projects';

/** Every step of the schema. */
export const MIGRATIONS: readonly Migration[] = [
  {
    owner: OWNER,
    id: '0001-projects-sources-notes',
    async up(db, ddl) {
      await createProjects(db, ddl);
      await createSources(db, ddl);
      await createNotes(db, ddl);
    },
  },
  { owner: OWNER, id: '0002-tag-keys', up: (db) => addTagKeys(db, 'project_sources') },
];

async function createProjects(db: Kysely<unknown>, ddl: Ddl): Promise<void> {
  await db.schema
    .createTable('projects')
    .addColumn('id', 'integer', ddl.id)
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('tags', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await createIndex(db, 'projects', ['principal', 'updated_at']);
}

async function createSources(db: Kysely<unknown>, ddl: Ddl): Promise<void> {
  await db.schema
    .createTable('project_sources')
    .addColumn('id', 'integer', ddl.id)
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('project_id', 'integer')
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('source_type', 'text', (column) => column.notNull())
    .addColumn('url', 'text')
    .addColumn('authors', 'text')
    .addColumn('publication_date', 'text')
    .addColumn('publisher', 'text')
    .addColumn('doi', 'text')
    .addColumn('isbn', 'text')
    .addColumn('abstract', 'text')
    .addColumn('content_summary', 'text')
    .addColumn('full_text', 'text')
    .addColumn('citation_apa', 'text', (column) => column.notNull())
    .addColumn('is_own_citation', 'integer', (column) => column.notNull())
    .addColumn('retrieval_date', 'text', (column) => column.notNull())
    .addColumn('retrieval_method', 'text')
    .addColumn('verified', 'integer', (column) => column.notNull())
    .addColumn('verification_notes', 'text')
    .addColumn('tags', 'text')
    .addColumn('relevance_score', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('grams', 'text')
    .execute();
  await createIndex(db, 'project_sources', ['principal', 'project_id']);
  await ddl.createFullText(db, {
    table: 'project_sources',
    columns: [
      'title',
      'authors',
      'abstract',
      'content_summary',
      'full_text',
      'tags',
      'citation_apa',
      'grams',
    ],
  });
}

async function createNotes(db: Kysely<unknown>, ddl: Ddl): Promise<void> {
  await db.schema
    .createTable('project_notes')
    .addColumn('id', 'integer', ddl.id)
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('project_id', 'integer')
    .addColumn('source_id', 'integer')
    .addColumn('title', 'text')
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('note_type', 'text', (column) => column.notNull())
    .addColumn('tags', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('grams', 'text')
    .execute();
  await createIndex(db, 'project_notes', ['principal', 'project_id']);
  await createIndex(db, 'project_notes', ['source_id']);
  await ddl.createFullText(db, { table: 'project_notes', columns: ['title', 'content', 'tags', 'grams'] });
}

async function createIndex(db: Kysely<unknown>, table: string, columns: readonly string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns([...columns])
    .execute();
}

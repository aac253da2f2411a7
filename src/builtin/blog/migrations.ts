/** The tables of the blog, step by step; only ever appended to. */
import type { Kysely } from 'kysely';
import type { Ddl } from '../../store/ddl.ts';
import type { Migration } from '../../store/migrate.ts';

/** The owner of these tables. */
export const OWNER = 'blog';

/** Every step. */
export const MIGRATIONS: readonly Migration[] = [
  {
    owner: OWNER,
    id: '0001-posts-tags-settings',
    async up(db, ddl) {
      await createPosts(db, ddl);
      await createTags(db);
      await createSettings(db);
    },
  },
];

async function createPosts(db: Kysely<unknown>, ddl: Ddl): Promise<void> {
  await db.schema
    .createTable('blog_posts')
    .addColumn('id', 'integer', ddl.id)
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('slug', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('excerpt', 'text', (column) => column.notNull())
    .addColumn('is_own_excerpt', 'integer', (column) => column.notNull())
    .addColumn('author', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('visibility', 'text', (column) => column.notNull())
    .addColumn('cover_image_key', 'text')
    .addColumn('tags', 'text')
    .addColumn('published_at', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('grams', 'text')
    .execute();
  await db.schema
    .createIndex('blog_posts_by_slug')
    .unique()
    .on('blog_posts')
    .columns(['principal', 'slug'])
    .execute();
  await db.schema
    .createIndex('blog_posts_by_publication')
    .on('blog_posts')
    .columns(['principal', 'status', 'visibility', 'published_at'])
    .execute();
  await ddl.createFullText(db, {
    table: 'blog_posts',
    columns: ['title', 'content', 'excerpt', 'tags', 'grams'],
  });
}

async function createTags(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('blog_tags')
    .addColumn('post_id', 'integer', (column) => column.notNull())
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('blog_tags_pk', ['post_id', 'key'])
    .execute();
  await db.schema.createIndex('blog_tags_by_key').on('blog_tags').columns(['principal', 'key']).execute();
}

async function createSettings(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('blog_settings')
    .addColumn('principal', 'text', (column) => column.primaryKey())
    .addColumn('title', 'text')
    .addColumn('tagline', 'text')
    .addColumn('author', 'text')
    .addColumn('language', 'text')
    .addColumn('theme', 'text')
    .addColumn('css', 'text')
    .addColumn('changed_at', 'text', (column) => column.notNull())
    .execute();
}

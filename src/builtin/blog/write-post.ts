/** Writing posts down: what follows from what somebody wrote, and what has to change together. */
import type { Transaction } from 'kysely';
import { GatewayError } from '../../errors/gateway-error.ts';
import { toGrams } from '../../store/terms.ts';
import type { Blog } from './context.ts';
import { saveSettings } from './settings.ts';
import { isTakenSlug, toFreeSlug, toSlug } from './slug.ts';
import type { BlogTables, Post } from './tables.ts';
import { parseTags, type Tag } from './tags.ts';

/** The tables while they are written to. */
export type BlogTransaction = Transaction<BlogTables>;

/** Does everything or nothing, and notes that the blog changed. */
export async function changeBlog<T>(blog: Blog, change: (db: BlogTransaction) => Promise<T>): Promise<T> {
  return blog.db.transaction().execute(async (db) => {
    const result = await change(db);
    await saveSettings(blog, db, {});
    return result;
  });
}

/** A slug somebody asked for; refused when it cannot be one, or is another post's. */
export async function requireSlug(
  blog: Blog,
  db: BlogTransaction,
  asked: string,
  own?: number,
): Promise<string> {
  const slug = toSlug(asked);
  if (slug === '') {
    throw new GatewayError(
      'INVALID_PARAMS',
      `slug: ${JSON.stringify(asked)} holds no letter and no digit; give some, or leave it out`,
    );
  }
  if (isTakenSlug(slug) || (await isUsed(blog, db, slug, own))) {
    throw new GatewayError('INVALID_PARAMS', `slug: "${slug}" is taken already; choose another one`);
  }
  return slug;
}

/** A slug nobody has, from a title; the number of the post helps where the title gives nothing. */
export function deriveSlug(blog: Blog, db: BlogTransaction, title: string, id: number): Promise<string> {
  const slug = toSlug(title);
  return toFreeSlug(slug === '' ? `post-${id}` : slug, (candidate) => isUsed(blog, db, candidate, id));
}

/** Replaces the tags of a post. */
export async function saveTags(
  { principal }: Blog,
  db: BlogTransaction,
  id: number,
  tags: readonly Tag[],
): Promise<void> {
  await db.deleteFrom('blog_tags').where('post_id', '=', id).execute();
  if (tags.length === 0) return;
  await db
    .insertInto('blog_tags')
    .values(tags.map(({ key, name }) => ({ post_id: id, principal, key, name })))
    .execute();
}

/** What full text needs for scripts without spaces. */
export function toPostGrams(post: Pick<Post, 'title' | 'content' | 'excerpt' | 'tags'>): string | null {
  return toGrams(post.title, post.content, post.excerpt, post.tags);
}

/** The tags in what was written; none when nothing was. */
export function readTags(text: string | undefined): readonly Tag[] {
  return parseTags(text ?? '');
}

async function isUsed(
  { principal }: Blog,
  db: BlogTransaction,
  slug: string,
  own: number | undefined,
): Promise<boolean> {
  const row = await db
    .selectFrom('blog_posts')
    .select('id')
    .where('principal', '=', principal)
    .where('slug', '=', slug)
    .executeTakeFirst();
  return row !== undefined && row.id !== own;
}

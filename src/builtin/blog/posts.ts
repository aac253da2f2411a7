/** Finding posts: every page, feed and tool reads them here, so that who may see what is decided once. */
import type { Kysely, SelectQueryBuilder } from 'kysely';
import type { Condition } from '../../store/full-text.ts';
import { inRankOrder, toConditions } from '../ranked.ts';
import { type Blog, toUnknownPost } from './context.ts';
import type { BlogTables, Post, PostRow } from './tables.ts';
import { toTagKey } from './tags.ts';

/** Which posts. */
export interface PostFilter {
  readonly status?: PostRow['status'] | undefined;
  readonly visibility?: PostRow['visibility'] | undefined;
  readonly tag?: string | undefined;
}

/** Which part of them. */
export interface Part {
  readonly limit: number;
  readonly offset: number;
}

/** What anyone may read. */
export const FOR_ANYONE = { status: 'published', visibility: 'public' } as const satisfies PostFilter;

/** The newest first: by when they were published, drafts by when they were begun. */
export async function listPosts(blog: Blog, filter: PostFilter, { limit, offset }: Part): Promise<Post[]> {
  return filtered(blog, filter)
    .selectAll('blog_posts')
    .orderBy(({ fn, ref }) => fn.coalesce(ref('published_at'), ref('created_at')), 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

/** Where the newest posts are and when they changed, without their texts. */
export async function listAddresses(
  blog: Blog,
  filter: PostFilter,
  limit: number,
): Promise<Pick<Post, 'slug' | 'updated_at'>[]> {
  return filtered(blog, filter)
    .select(['slug', 'updated_at'])
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** How many there are. */
export async function countPosts(blog: Blog, filter: PostFilter): Promise<number> {
  const { count } = await filtered(blog, filter)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** A search ranks no more than this, however many posts there are. */
const MOST_FOUND = 1_000;

/** Posts that hold any of the words, best first, and how many of them were found. */
export async function searchPosts(
  blog: Blog,
  { tag, status, visibility }: PostFilter,
  text: string,
  { limit, offset }: Part,
): Promise<{ readonly posts: readonly Post[]; readonly total: number }> {
  const where: Condition[] = [...toConditions({ principal: blog.principal, status, visibility })];
  if (tag !== undefined) {
    const tagged = await filtered(blog, { tag }).select('id').execute();
    where.push({ column: 'id', is: 'in', value: tagged.map(({ id }) => id) });
  }
  // All of them at once, since what is asked for by part has to come in one order.
  const ranked = await blog.fullText.rank({ table: 'blog_posts', text, limit: MOST_FOUND, where });
  const posts = await inRankOrder(ranked.slice(offset, offset + limit), (ids) =>
    blog.db.selectFrom('blog_posts').selectAll().where('id', 'in', ids).execute(),
  );
  return { posts, total: ranked.length };
}

/** The post with that address, if it is among those meant. */
export async function findBySlug(
  blog: Blog,
  slug: string,
  filter: PostFilter = {},
): Promise<Post | undefined> {
  return filtered(blog, filter).selectAll('blog_posts').where('slug', '=', slug).executeTakeFirst();
}

/** The post, which has to be there. */
export async function requirePost(blog: Blog, id: number, db: Kysely<BlogTables> = blog.db): Promise<Post> {
  const post = await filtered({ ...blog, db }, {})
    .selectAll('blog_posts')
    .where('id', '=', id)
    .executeTakeFirst();
  if (!post) throw toUnknownPost(String(id));
  return post;
}

/** The public posts published just before and after one. */
export async function findNeighbours(
  blog: Blog,
  { id, published_at }: Post,
): Promise<{ readonly older: Post | undefined; readonly newer: Post | undefined }> {
  const at = published_at ?? '';
  const beside = (is: '<' | '>', order: 'desc' | 'asc') =>
    filtered(blog, FOR_ANYONE)
      .selectAll('blog_posts')
      .where(({ eb, or, and }) =>
        or([eb('published_at', is, at), and([eb('published_at', '=', at), eb('id', is, id)])]),
      )
      .orderBy('published_at', order)
      .orderBy('id', order)
      .limit(1)
      .executeTakeFirst();
  return { older: await beside('<', 'desc'), newer: await beside('>', 'asc') };
}

/** A tag and in how many posts it is. */
export interface TagCount {
  readonly key: string;
  readonly name: string;
  readonly posts: number;
}

/** The most used tags. */
export async function countTags(blog: Blog, filter: PostFilter, limit: number): Promise<TagCount[]> {
  const rows = await tagged(blog, filter).orderBy('posts', 'desc').orderBy('key').limit(limit).execute();
  return rows.map(toTagCount);
}

/** One tag, if any of the posts has it. */
export async function findTag(blog: Blog, filter: PostFilter, key: string): Promise<TagCount | undefined> {
  const row = await tagged(blog, filter).where('blog_tags.key', '=', key).executeTakeFirst();
  return row && toTagCount(row);
}

function tagged(blog: Blog, filter: PostFilter) {
  return filtered(blog, filter)
    .innerJoin('blog_tags', 'blog_tags.post_id', 'blog_posts.id')
    .select(({ fn }) => [
      'blog_tags.key as key',
      fn.min('blog_tags.name').as('name'),
      fn.countAll<number>().as('posts'),
    ])
    .groupBy('blog_tags.key');
}

function toTagCount({ key, name, posts }: TagCount): TagCount {
  return { key, name, posts: Number(posts) };
}

function filtered(
  { db, principal }: Pick<Blog, 'db' | 'principal'>,
  { status, visibility, tag }: PostFilter,
): SelectQueryBuilder<BlogTables, 'blog_posts', object> {
  let found = db.selectFrom('blog_posts').where('blog_posts.principal', '=', principal);
  if (status !== undefined) found = found.where('status', '=', status);
  if (visibility !== undefined) found = found.where('visibility', '=', visibility);
  if (tag !== undefined) {
    found = found.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('blog_tags')
          .select('blog_tags.post_id')
          .whereRef('blog_tags.post_id', '=', 'blog_posts.id')
          .where('blog_tags.key', '=', toTagKey(tag)),
      ),
    );
  }
  return found;
}

/** The tools that show posts. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { defineTool, READS } from '../../builtin.ts';
import { fence } from '../../fence.ts';
import { page, toCount, toNextOffset, toPageText } from '../../page.ts';
import { orNull } from '../../text.ts';
import { type Blog, toUnknownPost } from '../context.ts';
import { type ListedPost, listedPost, postId, status, toListedPost } from '../fields.ts';
import { countPosts, countTags, findBySlug, listPosts, requirePost, searchPosts } from '../posts.ts';
import { POST_STATUSES, VISIBILITIES } from '../tables.ts';

const TOP_TAGS = 10;

/** Lists posts. */
export const listPostsTool = defineTool({
  name: 'list_posts',
  title: 'List posts',
  description: 'List posts, newest first, or find them by words, best first.',
  input: z.object({
    status: status.optional(),
    tag: z.string().max(200).optional(),
    search: z.string().max(500).optional(),
    limit: z.int().min(1).max(100).default(20),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({ posts: z.array(listedPost), ...page }),
  annotations: READS,
  async run({ search, limit, offset, ...filter }, blog: Blog) {
    const words = orNull(search);
    const { posts, total } =
      words === null
        ? { posts: await listPosts(blog, filter, { limit, offset }), total: await countPosts(blog, filter) }
        : await searchPosts(blog, filter, words, { limit, offset });
    const listed = posts.map((post) => toListedPost(blog, post));
    return { posts: listed, total, ...toNextOffset(total, offset, posts.length) };
  },
  toText({ posts, ...rest }) {
    const head = toPageText('posts', rest, posts.length);
    return posts.length === 0 ? head : `${head}\n${fence(posts.map(toLine).join('\n'))}`;
  },
});

/** Shows one post whole. */
export const getPost = defineTool({
  name: 'get_post',
  title: 'Get a post',
  description: 'Show a post whole, by its id or slug.',
  input: z.object({ id: postId.optional(), slug: z.string().max(100).optional() }),
  output: listedPost.extend({ content: z.string(), created_at: z.string() }),
  annotations: READS,
  async run({ id, slug }, blog: Blog) {
    if ((id === undefined) === (slug === undefined)) {
      throw new GatewayError('INVALID_PARAMS', 'get_post was not run: give either id or slug');
    }
    const post = id === undefined ? await findBySlug(blog, slug ?? '') : await requirePost(blog, id);
    if (!post) throw toUnknownPost(`with the slug ${JSON.stringify(slug)}`);
    return { ...toListedPost(blog, post), content: post.content, created_at: post.created_at };
  },
  toText: ({ content, ...post }) => fence(`${toLine(post)}\n\n${content}`),
});

/** Counts posts and tags. */
export const blogStats = defineTool({
  name: 'blog_stats',
  title: 'Count posts',
  description: 'How many posts there are, and the most used tags.',
  input: z.object({}),
  output: z.object({
    total: z.int(),
    by_status: z.record(z.string(), z.int()),
    published_for: z.record(z.string(), z.int()),
    top_tags: z.array(z.object({ tag: z.string(), posts: z.int() })),
  }),
  annotations: READS,
  async run(_, blog: Blog) {
    const by_status: Record<string, number> = {};
    for (const one of POST_STATUSES) by_status[one] = await countPosts(blog, { status: one });
    const published_for: Record<string, number> = {};
    for (const visibility of VISIBILITIES)
      published_for[visibility] = await countPosts(blog, { status: 'published', visibility });
    const tags = await countTags(blog, {}, TOP_TAGS);
    const top_tags = tags.map(({ name, posts }) => ({ tag: name, posts }));
    return { total: await countPosts(blog, {}), by_status, published_for, top_tags };
  },
  toText({ total, by_status, published_for, top_tags }) {
    const head = `${toCount(total, 'post')}: ${toList(by_status)}. Published: ${toList(published_for)}.`;
    if (top_tags.length === 0) return head;
    return `${head}\n${fence(top_tags.map(({ tag, posts }) => `${tag}: ${posts}`).join('\n'))}`;
  },
});

function toList(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}

function toLine(post: ListedPost): string {
  const tags = post.tags === undefined ? '' : ` #${post.tags.join(' #')}`;
  const date = (post.published_at ?? post.updated_at).slice(0, 10);
  const where = post.url === undefined ? '' : ` ${post.url}`;
  return `${post.id}. ${post.title} (${post.status}, ${post.visibility}, ${date}, ${post.slug})${tags}${where}\n   ${post.excerpt}`;
}

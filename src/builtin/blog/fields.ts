/** Parameters and answers that several tools of the blog share. */
import * as z from 'zod';
import { isVisible, NOTHING_SAID } from '../said.ts';
import type { Blog } from './context.ts';
import { toPostPath } from './context.ts';
import { POST_STATUSES, type Post, VISIBILITIES } from './tables.ts';
import { parseTags } from './tags.ts';

/** Which post. */
export const postId = z.int();

/** What can be written down of a post. */
export const postFields = {
  slug: z.string().max(100).describe('end of its address').optional(),
  excerpt: z.string().max(1_000).optional(),
  author: z.string().max(200).optional(),
  tags: z.string().max(500).describe('comma separated').optional(),
  cover_image_key: z.string().max(500).describe('key of a stored picture').optional(),
};

/** The title; something has to be seen of it. */
export const title = z.string().max(500).refine(isVisible, NOTHING_SAID);

/** The text; something has to be seen of it. */
export const content = z.string().max(50_000).refine(isVisible, NOTHING_SAID).describe('Markdown');

/** Who may read it once it is published. */
export const visibility = z.enum(VISIBILITIES);

/** How far it has come. */
export const status = z.enum(POST_STATUSES);

/** A post without its text. */
export const listedPost = z.object({
  id: z.int(),
  slug: z.string(),
  title: z.string(),
  status: z.string(),
  visibility: z.string(),
  excerpt: z.string(),
  author: z.string().optional(),
  tags: z.array(z.string()).optional(),
  cover_image_key: z.string().optional(),
  published_at: z.string().optional(),
  updated_at: z.string(),
  url: z.string().optional(),
});

/** A post without its text. */
export type ListedPost = z.infer<typeof listedPost>;

/** A row as it is answered with. */
export function toListedPost(blog: Pick<Blog, 'origin'>, post: Omit<Post, 'content'>): ListedPost {
  const { id, slug, title, status, visibility, excerpt, updated_at } = post;
  const url = toPublicUrl(blog, post);
  return {
    id,
    slug,
    title,
    status,
    visibility,
    excerpt,
    ...(post.author !== null && { author: post.author }),
    ...(post.tags !== null && { tags: parseTags(post.tags).map(({ name }) => name) }),
    ...(post.cover_image_key !== null && { cover_image_key: post.cover_image_key }),
    ...(post.published_at !== null && { published_at: post.published_at }),
    updated_at,
    ...(url !== undefined && { url }),
  };
}

/** Where anyone can read the post; undefined when nobody else can. */
export function toPublicUrl(
  { origin }: Pick<Blog, 'origin'>,
  { slug, status, visibility }: Pick<Post, 'slug' | 'status' | 'visibility'>,
): string | undefined {
  if (status !== 'published' || visibility !== 'public') return undefined;
  return `${origin() ?? ''}${toPostPath(slug)}`;
}

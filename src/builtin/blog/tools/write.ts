/** The tools that write, change and delete posts. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { ADDS, defineTool, REPLACES } from '../../builtin.ts';
import { orNull } from '../../text.ts';
import type { Blog } from '../context.ts';
import { toExcerpt } from '../excerpt.ts';
import { content, postFields, postId, title, visibility } from '../fields.ts';
import { requirePost } from '../posts.ts';
import type { Post } from '../tables.ts';
import { toTagText } from '../tags.ts';
import { changeBlog, deriveSlug, readTags, requireSlug, saveTags, toPostGrams } from '../write-post.ts';

/** Writes a draft. */
export const createPost = defineTool({
  name: 'create_post',
  title: 'Write a post',
  description: 'Write a post; it is a draft until published.',
  input: z.object({ title, content, ...postFields, visibility: visibility.default('private') }),
  output: z.object({ id: z.int(), slug: z.string(), excerpt: z.string() }),
  annotations: ADDS,
  async run(input, blog: Blog) {
    const at = blog.now().toISOString();
    const tags = readTags(input.tags);
    const own = orNull(input.excerpt);
    const written = {
      title: input.title,
      content: input.content,
      excerpt: own ?? toExcerpt(input.content),
      tags: toTagText(tags),
    };
    return changeBlog(blog, async (db) => {
      // Nobody can see it before the transaction ends, and by then it has its own.
      const asked = input.slug === undefined ? '' : await requireSlug(blog, db, input.slug);
      const { id } = await db
        .insertInto('blog_posts')
        .values({
          ...written,
          principal: blog.principal,
          slug: asked,
          is_own_excerpt: own === null ? 0 : 1,
          author: orNull(input.author),
          status: 'draft',
          visibility: input.visibility,
          cover_image_key: orNull(input.cover_image_key),
          published_at: null,
          created_at: at,
          updated_at: at,
          grams: toPostGrams(written),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const slug = asked === '' ? await deriveSlug(blog, db, input.title, id) : asked;
      if (asked === '') await db.updateTable('blog_posts').set({ slug }).where('id', '=', id).execute();
      await saveTags(blog, db, id, tags);
      return { id, slug, excerpt: written.excerpt };
    });
  },
  toText: ({ id, slug }) => `Wrote post ${id} as a draft (${slug}). publish_post makes it readable.`,
});

/** Changes what is given of a post. */
export const editPost = defineTool({
  name: 'edit_post',
  title: 'Edit a post',
  description: 'Change the given fields of a post.',
  input: z.object({
    id: postId,
    title: title.optional(),
    content: content.optional(),
    ...postFields,
    visibility: visibility.optional(),
  }),
  output: z.object({ id: z.int(), slug: z.string(), changed: z.array(z.string()) }),
  annotations: REPLACES,
  async run({ id, ...given }, blog: Blog) {
    const changed = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    return changeBlog(blog, async (db) => {
      const post = await requirePost(blog, id, db);
      if (changed.length === 0) {
        throw new GatewayError(
          'INVALID_PARAMS',
          `post ${id} was not changed: give title, content, slug, excerpt, author, tags, cover_image_key or visibility`,
        );
      }
      const slug = given.slug === undefined ? post.slug : await requireSlug(blog, db, given.slug, id);
      const next = toEdited(post, given);
      await db
        .updateTable('blog_posts')
        .set({ ...next, slug, updated_at: blog.now().toISOString(), grams: toPostGrams(next) })
        .where('id', '=', id)
        .execute();
      if (given.tags !== undefined) await saveTags(blog, db, id, readTags(given.tags));
      return { id, slug, changed };
    });
  },
  toText: ({ id, changed }) => `Post ${id}: ${changed.join(', ')} changed.`,
});

/** Deletes a post. */
export const deletePost = defineTool({
  name: 'delete_post',
  title: 'Delete a post',
  description: 'Delete a post for good.',
  input: z.object({ id: postId }),
  output: z.object({ id: z.int() }),
  annotations: REPLACES,
  async run({ id }, blog: Blog) {
    return changeBlog(blog, async (db) => {
      await requirePost(blog, id, db);
      await saveTags(blog, db, id, []);
      await db.deleteFrom('blog_posts').where('id', '=', id).execute();
      return { id };
    });
  },
  toText: ({ id }) => `Post ${id} was deleted.`,
});

type Given = {
  readonly [K in 'title' | 'content' | 'excerpt' | 'author' | 'tags' | 'cover_image_key']?:
    | string
    | undefined;
} & { readonly visibility?: Post['visibility'] | undefined };

function toEdited(post: Post, given: Given) {
  const body = given.content ?? post.content;
  const own = toOwnExcerpt(post, given.excerpt);
  return {
    title: given.title ?? post.title,
    content: body,
    excerpt: own ?? toExcerpt(body),
    is_own_excerpt: own === null ? 0 : 1,
    author: given.author === undefined ? post.author : orNull(given.author),
    tags: given.tags === undefined ? post.tags : toTagText(readTags(given.tags)),
    cover_image_key:
      given.cover_image_key === undefined ? post.cover_image_key : orNull(given.cover_image_key),
    visibility: given.visibility ?? post.visibility,
  };
}

/** What somebody wrote stays until somebody writes another, or empties it. */
function toOwnExcerpt(post: Post, given: string | undefined): string | null {
  if (given !== undefined) return orNull(given);
  return post.is_own_excerpt === 1 ? post.excerpt : null;
}

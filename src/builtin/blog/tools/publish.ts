/** The tools that let others read a post, or not any more. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { defineTool, REPLACES } from '../../builtin.ts';
import { said } from '../../said.ts';
import type { Blog } from '../context.ts';
import { postId, toPublicUrl } from '../fields.ts';
import { requirePost } from '../posts.ts';
import { requireShareable } from '../shared-posts.ts';
import { changeBlog } from '../write-post.ts';

/** Makes a post readable for those its visibility allows. */
export const publishPost = defineTool({
  name: 'publish_post',
  title: 'Publish a post',
  description: 'Let those read a post whom its visibility allows.',
  input: z.object({ id: postId }),
  output: z.object({
    id: z.int(),
    visibility: z.string(),
    published_at: z.string(),
    url: z.string().optional(),
  }),
  annotations: { destructiveHint: false, idempotentHint: true },
  async run({ id }, blog: Blog) {
    return changeBlog(blog, async (db) => {
      const post = await requirePost(blog, id, db);
      const at = blog.now().toISOString();
      const published_at = post.published_at ?? at;
      if (post.status !== 'published') {
        await db
          .updateTable('blog_posts')
          .set({ status: 'published', published_at, updated_at: at })
          .where('id', '=', id)
          .execute();
      }
      const url = toPublicUrl(blog, { ...post, status: 'published' });
      return { id, visibility: post.visibility, published_at, ...(url !== undefined && { url }) };
    });
  },
  toText({ id, visibility, url }) {
    if (url !== undefined) return `Post ${id} is published; anyone can read it at ${url}`;
    if (visibility === 'peers')
      return `Post ${id} is published for contacts: send it with share_post. It is on no page.`;
    return `Post ${id} is published, but private: nobody else can read it. edit_post sets its visibility.`;
  },
});

/** Takes a post back. */
export const unpublishPost = defineTool({
  name: 'unpublish_post',
  title: 'Unpublish a post',
  description: 'Turn a post back into a draft, or put it away.',
  input: z.object({ id: postId, archive: z.boolean().default(false) }),
  output: z.object({ id: z.int(), status: z.string() }),
  annotations: REPLACES,
  async run({ id, archive }, blog: Blog) {
    const status = archive ? 'archived' : 'draft';
    return changeBlog(blog, async (db) => {
      const post = await requirePost(blog, id, db);
      if (post.status !== status) {
        await db
          .updateTable('blog_posts')
          .set({ status, updated_at: blog.now().toISOString() })
          .where('id', '=', id)
          .execute();
      }
      return { id, status };
    });
  },
  toText: ({ id, status }) =>
    status === 'draft' ? `Post ${id} is a draft again.` : `Post ${id} is archived.`,
});

/** Sends a post to a contact. */
export const sharePost = defineTool({
  name: 'share_post',
  title: 'Share a post',
  description: 'Send a published post to a contact.',
  input: z.object({
    id: postId,
    contact: said(200).describe('name or id'),
  }),
  output: z.object({ id: z.int(), contact: z.string() }),
  annotations: { destructiveHint: false },
  async run({ id, contact }, blog: Blog) {
    requireShareable(await requirePost(blog, id));
    if (!blog.shares) {
      throw new GatewayError(
        'INVALID_PARAMS',
        `post ${id} was not sent: sharing is switched off here; switch the built-in server "sharing" on in the configuration`,
      );
    }
    const receipt = await blog.shares.offer({ id, contact });
    return { id, contact: receipt.contact };
  },
  toText: ({ id, contact }) => `Post ${id} will be sent to ${contact} as soon as they are online.`,
});

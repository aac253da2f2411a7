/** Posts as contacts may have them: published, and not private. */
import { GatewayError } from '../../errors/gateway-error.ts';
import type { SharedItem } from '../shared-item.ts';
import { openBlog } from './context.ts';
import type { BlogParts } from './ports.ts';
import type { Post } from './tables.ts';
import { parseTags } from './tags.ts';

/** Reads a post to be sent: the Markdown and what is known of it. */
export type ReadPost = (id: number) => Promise<SharedItem | undefined>;

/** Creates the reader; it refuses a post that may not be sent, and says why. */
export function createPostReader(parts: BlogParts): ReadPost {
  return async (id) => {
    const { db, principal } = await openBlog(parts);
    const post = await db
      .selectFrom('blog_posts')
      .selectAll()
      .where('principal', '=', principal)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!post) return undefined;
    requireShareable(post);
    return {
      title: post.title,
      content: {
        markdown: post.content,
        excerpt: post.excerpt,
        ...(post.author !== null && { author: post.author }),
        tags: parseTags(post.tags ?? '').map(({ name }) => name),
        published_at: post.published_at ?? post.created_at,
      },
    };
  };
}

/** Refuses a post that contacts may not have. */
export function requireShareable(post: Post): void {
  const obstacle = toObstacle(post);
  if (obstacle === undefined) return;
  throw new GatewayError('INVALID_PARAMS', `post ${post.id} was not sent: ${obstacle}`);
}

function toObstacle({ status, visibility }: Post): string | undefined {
  if (visibility === 'private') return 'it is private; set its visibility to peers or public with edit_post';
  if (status !== 'published') return `it is ${status === 'draft' ? 'a draft' : 'archived'}; use publish_post`;
  return undefined;
}

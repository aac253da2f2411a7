/** Posts as contacts may have them: published, and not private. */
import { GatewayError } from '../../errors/gateway-error.ts';
import type { JsonObject } from '../../model/json.ts';
import { openBlog } from './blog.ts';
import type { BlogParts } from './ports.ts';
import type { Post } from './tables.ts';
import { parseTags } from './tags.ts';

/** A post on its way to somebody else. */
export interface PostCopy {
  readonly title: string;
  /** The Markdown and what is known of it. */
  readonly content: JsonObject;
}

/** Reads a post to be sent. */
export type ReadPostCopy = (id: number) => Promise<PostCopy | undefined>;

/** Creates the reader; a post that may not be sent does not exist for it. */
export function createPostReader(parts: BlogParts): ReadPostCopy {
  return async (id) => {
    const { db, principal } = await openBlog(parts);
    const post = await db
      .selectFrom('blog_posts')
      .selectAll()
      .where('principal', '=', principal)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!post || toObstacle(post) !== undefined) return undefined;
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

/** The post, if contacts may have it. */
export function requireShareable(post: Post): Post {
  const obstacle = toObstacle(post);
  if (obstacle === undefined) return post;
  throw new GatewayError('INVALID_PARAMS', `post ${post.id} was not sent: ${obstacle}`);
}

function toObstacle({ status, visibility }: Post): string | undefined {
  if (visibility === 'private') return 'it is private; set its visibility to peers or public with edit_post';
  if (status !== 'published') return `it is ${status === 'draft' ? 'a draft' : 'archived'}; use publish_post`;
  return undefined;
}

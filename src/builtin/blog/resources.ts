/** What of the blog can be read at an address. */
import type { BuiltinResource } from '../builtin.ts';
import type { Blog } from './context.ts';
import { toListedPost } from './fields.ts';
import { countPosts, listPosts } from './posts.ts';

const MOST = 100;

/** The resources of the blog. */
export const BLOG_RESOURCES: readonly BuiltinResource<Blog>[] = [
  {
    uri: 'blog://posts',
    name: 'posts',
    title: 'Posts',
    description: `The ${MOST} newest posts, drafts among them, without their texts.`,
    mimeType: 'application/json',
    async read(blog) {
      const posts = await listPosts(blog, {}, { limit: MOST, offset: 0 });
      const listed = posts.map((post) => toListedPost(blog, post));
      return JSON.stringify({ posts: listed, total: await countPosts(blog, {}) }, null, 2);
    },
  },
];

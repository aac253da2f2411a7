/** The built-in server `blog`: posts in Markdown, with pages and feeds for whoever may read them. */
import { type BuiltinServer, createBuiltinServer } from '../server.ts';
import { openBlog } from './context.ts';
import type { BlogParts } from './ports.ts';
import { BLOG_PROMPTS } from './prompts.ts';
import { BLOG_RESOURCES } from './resources.ts';
import { BLOG_TOOLS } from './tools.ts';

/** Creates the server; its tables are opened when something is first asked for. */
export function createBlogServer(parts: BlogParts): BuiltinServer {
  return createBuiltinServer(
    { name: 'blog', title: 'Blog', tools: BLOG_TOOLS, resources: BLOG_RESOURCES, prompts: BLOG_PROMPTS },
    { ...parts, open: () => openBlog(parts) },
  );
}

/** The tools of the blog, in the order they are listed. */
import type { BuiltinTool } from '../builtin.ts';
import type { Blog } from './context.ts';
import { exportBlog } from './tools/export.ts';
import { blogCustomizeTheme, blogSettings } from './tools/look.ts';
import { publishPost, sharePost, unpublishPost } from './tools/publish.ts';
import { blogStats, getPost, listPostsTool } from './tools/read.ts';
import { createPost, deletePost, editPost } from './tools/write.ts';

/** All twelve. */
export const BLOG_TOOLS: readonly BuiltinTool<Blog>[] = [
  createPost,
  editPost,
  publishPost,
  unpublishPost,
  listPostsTool,
  getPost,
  deletePost,
  sharePost,
  exportBlog,
  blogSettings,
  blogCustomizeTheme,
  blogStats,
];

/** The tool that takes the blog elsewhere. */
import * as z from 'zod';
import { defineTool, READS } from '../../builtin.ts';
import { fence } from '../../fence.ts';
import { page, toNextOffset, toPageText } from '../../page.ts';
import type { Blog } from '../context.ts';
import { EXPORT_FORMATS, toExportedFile } from '../export.ts';
import { countPosts, FOR_ANYONE, listPosts } from '../posts.ts';
import { readSettings } from '../settings.ts';

/** An answer is not made longer than this by one more post. */
const MAX_CHARACTERS = 200_000;
const BATCH = 20;

/** Gives the public posts as files of a static site. */
export const exportBlog = defineTool({
  name: 'export_blog',
  title: 'Export the blog',
  description: 'Give the public posts as files for Hugo or Jekyll.',
  input: z.object({
    format: z.enum(EXPORT_FORMATS).default('hugo'),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    files: z.array(z.object({ path: z.string(), content: z.string() })),
    ...page,
  }),
  annotations: READS,
  async run({ format, offset }, blog: Blog) {
    const { author } = await readSettings(blog);
    const total = await countPosts(blog, FOR_ANYONE);
    const files: { path: string; content: string }[] = [];
    let size = 0;
    for (let at = offset; at < total && size < MAX_CHARACTERS; at += BATCH) {
      for (const post of await listPosts(blog, FOR_ANYONE, { limit: BATCH, offset: at })) {
        const file = toExportedFile(format, { ...post, author: post.author ?? author ?? null });
        size += file.content.length;
        if (files.length > 0 && size > MAX_CHARACTERS) break;
        files.push(file);
      }
    }
    return { files, total, ...toNextOffset(total, offset, files.length) };
  },
  toText({ files, ...rest }) {
    const head = toPageText('public posts', rest, files.length);
    if (files.length === 0) return head;
    return `${head}\n${fence(files.map(({ path, content }) => `=== ${path}\n${content}`).join('\n'))}`;
  },
});

/** Posts as files that Hugo and Jekyll take: YAML front matter, then the Markdown. */
import type { Post } from './tables.ts';
import { parseTags } from './tags.ts';

/** The generators. */
export const EXPORT_FORMATS = ['hugo', 'jekyll'] as const;

/** One of them. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A file, with its path in the folder of the site. */
export interface ExportedFile {
  readonly path: string;
  readonly content: string;
}

/** What the front matter says; what is undefined is left out. */
type FrontMatter = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Turns a published post into a file. */
export function toExportedFile(format: ExportFormat, post: Post): ExportedFile {
  return format === 'hugo' ? toHugo(post) : toJekyll(post);
}

function toHugo(post: Post): ExportedFile {
  const front = {
    ...toCommon(post),
    date: toDate(post),
    lastmod: post.updated_at,
    description: post.excerpt,
    draft: false,
  };
  return {
    path: `content/posts/${post.slug}.md`,
    content: toFile(front, maskShortcodes(post.content)),
  };
}

function toJekyll(post: Post): ExportedFile {
  const date = toDate(post);
  const front = {
    layout: 'post',
    ...toCommon(post),
    date: `${date.slice(0, 19).replace('T', ' ')} +0000`,
    last_modified_at: post.updated_at,
    excerpt: post.excerpt,
    // Braces in a post are meant to be read, not run.
    render_with_liquid: false,
  };
  return { path: `_posts/${date.slice(0, 10)}-${post.slug}.md`, content: toFile(front, post.content) };
}

function toCommon(post: Post) {
  return {
    title: post.title,
    slug: post.slug,
    author: post.author ?? undefined,
    tags: parseTags(post.tags ?? '').map(({ name }) => name),
  };
}

function toDate({ published_at, created_at }: Post): string {
  return published_at ?? created_at;
}

function toFile(front: FrontMatter, content: string): string {
  const lines = Object.entries(front).flatMap(([key, value]) =>
    value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [`${key}: ${toYaml(value)}`],
  );
  return `---\n${lines.join('\n')}\n---\n\n${content}${content.endsWith('\n') ? '' : '\n'}`;
}

/** JSON is YAML, but for characters that YAML takes only as escapes. */
function toYaml(value: string | boolean | readonly string[]): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Hugo would run these, or stop at one that does not end; in this form it shows them. */
function maskShortcodes(markdown: string): string {
  return markdown
    .replaceAll(/\{\{<(?!\/\*)((?:(?!>\}\}|\{\{<).)*)>\}\}/gs, '{{</*$1*/>}}')
    .replaceAll(/\{\{%(?!\/\*)((?:(?!%\}\}|\{\{%).)*)%\}\}/gs, '{{%/*$1*/%}}')
    .replaceAll(/\{\{<(?!\/\*)/g, '{{&lt;')
    .replaceAll(/\{\{%(?!\/\*)/g, '{{&#37;');
}

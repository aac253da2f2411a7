/** Files that Hugo and Jekyll take, whatever a post holds. */
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../store/memory-store.ts';
import { hostileStrings } from '../builtin.contract.ts';
import { openTestClient } from '../test-client.contract.ts';
import { type ExportedFile, toExportedFile } from './export.ts';
import { createBlogServer } from './server.ts';
import type { Post } from './tables.ts';

const POST: Post = {
  id: 1,
  principal: 'local',
  slug: 'straße-2',
  title: 'He said: "no" # really',
  content: 'Text',
  excerpt: 'yes: no',
  is_own_excerpt: 1,
  author: null,
  status: 'published',
  visibility: 'public',
  cover_image_key: null,
  tags: 'a: b, - c, "d"',
  published_at: '2026-01-05T10:20:30.400Z',
  created_at: '2026-01-04T00:00:00.000Z',
  updated_at: '2026-01-06T00:00:00.000Z',
  grams: null,
};

/** Each line has to be a plain key and a value in JSON, of characters YAML can hold as they are. */
function readFrontMatter({ content }: ExportedFile): Record<string, unknown> {
  const [, front = ''] = /^---\n([\s\S]*?)\n---\n\n/.exec(content) ?? [];
  expect(front).not.toMatch(
    /[^\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\u2028\u2029\ufeff]/u,
  );
  return Object.fromEntries(
    front.split('\n').map((line) => {
      const [, key = '', value = ''] = /^([a-z_]+): (.+)$/.exec(line) ?? [];
      return [key, JSON.parse(value)];
    }),
  );
}

describe('toExportedFile', () => {
  it('names and heads a post as Hugo wants it', () => {
    const file = toExportedFile('hugo', POST);
    expect(file.path).toBe('content/posts/straße-2.md');
    expect(readFrontMatter(file)).toEqual({
      title: POST.title,
      slug: POST.slug,
      tags: ['a: b', '- c', '"d"'],
      date: POST.published_at,
      lastmod: POST.updated_at,
      description: POST.excerpt,
      draft: false,
    });
    expect(file.content.endsWith('\n---\n\nText\n')).toBe(true);
  });

  it('names and heads a post as Jekyll wants it', () => {
    const file = toExportedFile('jekyll', { ...POST, author: 'Ann', tags: null });
    expect(file.path).toBe('_posts/2026-01-05-straße-2.md');
    expect(readFrontMatter(file)).toEqual({
      layout: 'post',
      title: POST.title,
      slug: POST.slug,
      author: 'Ann',
      date: '2026-01-05 10:20:30 +0000',
      last_modified_at: POST.updated_at,
      excerpt: POST.excerpt,
      render_with_liquid: false,
    });
  });

  it.each([...hostileStrings(), '\u007f\u0085\u009f\u2028\ufeff\uffff', '---\n...\n', '\u0001\u001b'])(
    'keeps the front matter whole with %j in it',
    (text) => {
      for (const format of ['hugo', 'jekyll'] as const) {
        const file = toExportedFile(format, { ...POST, title: text, excerpt: text, author: text });
        expect(readFrontMatter(file)).toMatchObject({ title: text, author: text });
      }
    },
  );

  it('shows what Hugo would run', () => {
    const content = 'a {{< ref "x" >}} {{% y %}} {{</* kept */>}} {{< open {{< z >}} {{%';
    expect(toExportedFile('hugo', { ...POST, content }).content).toContain(
      'a {{</* ref "x" */>}} {{%/* y */%}} {{</* kept */>}} {{&lt; open {{</* z */>}} {{&#37;',
    );
    expect(toExportedFile('jekyll', { ...POST, content }).content).toContain(content);
  });
});

describe('export_blog', () => {
  it('gives what anyone may read, as files and as text, and nothing else', async () => {
    const client = await openTestClient(createBlogServer({ store: createMemoryStore() }));
    await client.call('blog_settings', { action: 'set', author: 'Marta' });
    for (const [title, visibility] of [
      ['Open', 'public'],
      ['Secret', 'private'],
      ['Secret', 'peers'],
      ['Secret draft', 'public'],
    ] as const) {
      const { data } = await client.call('create_post', { title, content: title, visibility });
      if (!title.includes('draft')) await client.call('publish_post', { id: Number(data['id']) });
    }
    const { data, text } = await client.call('export_blog', { format: 'hugo' });
    expect(data).toMatchObject({ total: 1, files: [{ path: 'content/posts/open.md' }] });
    expect(text).toMatch(/<stored (\w+)>\n=== content\/posts\/open\.md\n---[\s\S]*Marta[\s\S]*<\/stored \1>/);
    expect(text).not.toContain('Secret');
  });

  it('gives a large blog in parts, none too long and none left out', async () => {
    const client = await openTestClient(createBlogServer({ store: createMemoryStore() }));
    for (let number = 1; number <= 11; number++) {
      await client.call('create_post', {
        title: `P${number}`,
        content: 'x'.repeat(45_000),
        visibility: 'public',
      });
      await client.call('publish_post', { id: number });
    }
    const paths: string[] = [];
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const { data } = await client.call('export_blog', { offset });
      const files = data['files'] as readonly ExportedFile[];
      expect(files.map(({ content }) => content).join('').length).toBeLessThan(205_000);
      paths.push(...files.map(({ path }) => path));
      offset = data['next_offset'] as number | undefined;
    }
    expect(new Set(paths).size).toBe(11);
    expect(paths).toHaveLength(11);
  });
});

/** The server as a whole: the contract of every built-in, its resource, its prompt, and whose posts are whose. */
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../store/memory-store.ts';
import { runBuiltinContract } from '../builtin.contract.ts';
import { openTestClient } from '../test-client.contract.ts';
import { createBlogServer } from './server.ts';
import { BLOG_TOOLS } from './tools.ts';

const shares = {
  offer: async ({ contact }: { readonly contact: string }) => ({ contact }),
};

runBuiltinContract({
  name: 'blog',
  tools: BLOG_TOOLS,
  create: (parts) => createBlogServer({ ...parts, shares }),
  // Nothing takes one's own style away again.
  mayBeBlank: (parameter) => parameter === 'css',
  examples: [
    [
      'create_post',
      {
        title: 'The quiet art of mending',
        content: 'Thread **before** needle.',
        tags: 'craft, cloth',
        visibility: 'public',
        author: 'Ann',
        cover_image_key: 'a1b2',
      },
    ],
    ['create_post', { title: '繕う', content: '糸を通す', excerpt: '糸' }],
    ['edit_post', { id: 1, content: 'Wax the thread.', tags: 'craft' }],
    ['publish_post', { id: 1 }],
    ['list_posts', { status: 'published', tag: 'Craft' }],
    ['list_posts', { search: 'how do I wax a thread' }],
    ['get_post', { id: 1 }],
    ['share_post', { id: 1, contact: 'Ben' }],
    ['export_blog', { format: 'jekyll' }],
    ['blog_settings', { action: 'set', title: 'Loose threads', theme: 'serif', language: 'de' }],
    ['blog_settings', { action: 'get' }],
    ['blog_customize_theme', { css: ':root { --measure: 44rem }' }],
    ['blog_stats', {}],
    ['unpublish_post', { id: 1 }],
    ['delete_post', { id: 2 }],
  ],
  unknown: {
    edit_post: { id: 99, title: 'x' },
    publish_post: { id: 99 },
    unpublish_post: { id: 99 },
    get_post: { id: 99 },
    delete_post: { id: 99 },
    share_post: { id: 99, contact: 'Ben' },
  },
});

describe('blog', () => {
  it('shows the posts without their texts at blog://posts', async () => {
    const client = await openTestClient(createBlogServer({ store: createMemoryStore() }));
    await client.call('create_post', { title: 'Mending', content: 'word '.repeat(200) });
    const result = await client.request('resources/read', { uri: 'blog://posts' });
    const [read] = result['contents'] as readonly { readonly text: string }[];
    const { posts, total } = JSON.parse(read?.text ?? '');
    expect(total).toBe(1);
    expect(posts).toMatchObject([{ id: 1, slug: 'mending', status: 'draft', visibility: 'private' }]);
    expect(posts[0]).not.toHaveProperty('content');
  });

  it('names every tool in its guide, and none that does not exist', async () => {
    const client = await openTestClient(createBlogServer({ store: createMemoryStore() }));
    const result = await client.request('prompts/get', { name: 'blog-guide' });
    const named = [...JSON.stringify(result['messages']).matchAll(/`([a-z]+_[a-z_]+)`/g)].map(
      ([, name]) => name,
    );
    expect(new Set(named)).toEqual(new Set(BLOG_TOOLS.map((tool) => tool.name)));
  });

  it('shows nobody what belongs to somebody else, though addresses may be equal', async () => {
    const store = createMemoryStore();
    const ann = await openTestClient(createBlogServer({ store, principal: 'ann', shares }));
    const ben = await openTestClient(createBlogServer({ store, principal: 'ben', shares }));
    await ann.call('create_post', {
      title: 'Secret',
      content: 'Secret',
      tags: 'secret',
      visibility: 'public',
    });
    await ann.call('publish_post', { id: 1 });
    await ann.call('blog_settings', { action: 'set', title: 'Secret' });
    for (const [tool, args] of [
      ['get_post', { id: 1 }],
      ['get_post', { slug: 'secret' }],
      ['edit_post', { id: 1, title: 'mine' }],
      ['publish_post', { id: 1 }],
      ['unpublish_post', { id: 1 }],
      ['delete_post', { id: 1 }],
      ['share_post', { id: 1, contact: 'Ben' }],
    ] as const) {
      expect(await ben.call(tool, args), tool).toMatchObject({ isError: true });
    }
    for (const [tool, args] of [
      ['list_posts', {}],
      ['list_posts', { search: 'secret' }],
      ['list_posts', { tag: 'secret' }],
      ['blog_stats', {}],
      ['export_blog', {}],
      ['blog_settings', { action: 'get' }],
    ] as const) {
      expect(JSON.stringify(await ben.call(tool, args)), tool).not.toMatch(/secret/i);
    }
    expect((await ben.call('create_post', { title: 'Secret', content: 'x' })).data).toMatchObject({
      slug: 'secret',
    });
    expect((await ann.call('blog_stats')).data).toMatchObject({ total: 1 });
  });

  it('refuses options it does not know', async () => {
    const server = createBlogServer({ store: createMemoryStore(), options: { url: 'ftp://x' } });
    expect(await (await openTestClient(server)).call('blog_stats')).toMatchObject({
      isError: true,
      text: expect.stringContaining('options of blog'),
    });
  });
});

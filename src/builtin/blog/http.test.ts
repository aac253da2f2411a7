/** The pages: what is shown to whom, how it is guarded, and what is not sent twice. */
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { JsonObject } from '../../model/json.ts';
import { createMemoryStore } from '../../store/memory-store.ts';
import type { Store } from '../../store/store.ts';
import type { BuiltinRoutes } from '../builtin.ts';
import { openTestClient, type TestClient } from '../test-client.contract.ts';
import { createBlogRoutes } from './http.ts';
import type { BlogParts, Picture } from './ports.ts';
import { createBlogServer } from './server.ts';

const HERE = 'http://127.0.0.1:7000';

let store: Store;
let time: Date;
let client: TestClient;
let routes: BuiltinRoutes;

beforeEach(async () => {
  store = createMemoryStore();
  time = new Date('2026-01-05T10:00:00.500Z');
  client = await openTestClient(createBlogServer({ store, now: () => time }));
  routes = createBlogRoutes({ store, now: () => time });
});

async function ask(path: string, init?: RequestInit): Promise<Response> {
  const response = await routes(new Request(`${HERE}${path}`, init));
  if (!response) throw new Error(`nothing is at ${path}`);
  return response;
}

const bodyOf = async (path: string) => (await ask(path)).text();

async function publish(post: JsonObject = {}): Promise<number> {
  const args = { title: 'Title', content: 'Text', visibility: 'public', ...post };
  const { data } = await client.call('create_post', args);
  const id = Number(data['id']);
  await client.call('publish_post', { id });
  return id;
}

describe('addresses', () => {
  it.each(['/', '/mcp', '/blogs', '/Blog', '/x/blog'])('leaves %s to others', async (path) => {
    expect(await routes(new Request(`${HERE}${path}`))).toBeUndefined();
  });

  it.each([
    '/blog/none',
    '/blog/a/b',
    '/blog/tag/none',
    '/blog/tag',
    '/blog/%ff',
    '/blog/..%2f..%2fetc',
    '/blog/constructor',
    '/blog/none/cover',
    '/blog?page=0',
    '/blog?page=2',
    '/blog?page=x',
  ])('says in a page that nothing is at %s', async (path) => {
    const response = await ask(path);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('There is nothing at this address');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('takes GET and HEAD only', async () => {
    const response = await ask('/blog', { method: 'POST' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });

  it.each([
    ['/blog/', '/blog'],
    ['/blog/title/', '/blog/title'],
    ['/blog/?page=2', '/blog?page=2'],
  ])('sends %s to %s', async (path, to) => {
    const response = await ask(path);
    expect([response.status, response.headers.get('location')]).toEqual([301, to]);
  });

  it('answers any address with a page, a redirect, or that there is none', async () => {
    await publish({ tags: 'a' });
    const part = fc.oneof(
      fc.constantFrom(
        'title',
        'tag',
        'a',
        'search',
        'cover',
        'feed.xml',
        '..',
        '%00',
        '%',
        '%2F',
        '__proto__',
        '',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 4 }), part, async (parts, query) => {
        const url = new URL(
          `${HERE}/blog/${parts.join('/').replaceAll(/[?#]/g, '')}?page=${query}&q=${query}`,
        );
        const response = await routes(new Request(url));
        expect([undefined, 200, 301, 404]).toContain(response?.status);
      }),
    );
  });

  it('says so when the store fails, and recovers', async () => {
    let isDown = true;
    const tables: Store['tables'] = (owner, migrations) => {
      if (isDown) throw new GatewayError('STORE_LOCKED', 'secret path');
      return store.tables(owner, migrations);
    };
    routes = createBlogRoutes({ store: { tables } });
    const response = await ask('/blog');
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain('secret');
    isDown = false;
    expect((await ask('/blog')).status).toBe(200);
  });
});

it('tells a fault of its own to the log and not to the reader', async () => {
  const told: unknown[] = [];
  const tables = () => Promise.reject(new Error('a secret of the house'));
  routes = createBlogRoutes({ store: { tables }, onFault: (error) => told.push(error) });
  const response = await ask('/blog');
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('secret');
  expect(told).toEqual([new Error('a secret of the house')]);
});

describe('who sees what', () => {
  it('shows published and public posts on every page, and no others on any', async () => {
    await publish({ title: 'Open', content: 'common word', tags: 'shared' });
    await publish({
      title: 'Secret one',
      content: 'common word',
      visibility: 'private',
      tags: 'shared, veiled',
    });
    await publish({
      title: 'Secret two',
      content: 'common word',
      visibility: 'peers',
      tags: 'shared, veiled',
    });
    const id = await publish({ title: 'Secret three', content: 'common word', tags: 'shared, veiled' });
    await client.call('unpublish_post', { id });
    const gone = await publish({ title: 'Secret four', content: 'common word', tags: 'shared, veiled' });
    await client.call('unpublish_post', { id: gone, archive: true });
    for (const path of [
      '/blog',
      '/blog/open',
      '/blog/tag/shared',
      '/blog/search?q=common+word',
      '/blog/feed.xml',
      '/blog/feed.atom',
      '/blog/sitemap.xml',
    ]) {
      const text = await bodyOf(path);
      expect(text, path).toContain('open');
      expect(text, path).not.toMatch(/secret/i);
      expect(text, path).not.toContain('veiled');
    }
    for (const slug of ['secret-one', 'secret-two', 'secret-three', 'secret-four', 'tag/veiled'])
      expect((await ask(`/blog/${slug}`)).status, slug).toBe(404);
    expect(await bodyOf('/blog/tag/shared')).toContain('1 post<');
  });

  it('shows one principal and not another', async () => {
    await publish();
    routes = createBlogRoutes({ store, principal: 'ben' });
    expect(await bodyOf('/blog')).toContain('Nothing has been published here yet');
    expect((await ask('/blog/title')).status).toBe(404);
  });
});

describe('pages', () => {
  it('shows a post with its text, its day, its neighbours, and what others need to find it', async () => {
    await publish({ title: 'Older' });
    time = new Date('2026-01-06T10:00:00Z');
    await publish({
      title: 'Fäden & <Nadeln>',
      content: '**bold** <script>x</script>',
      tags: 'C++, 糸',
      author: 'Ann',
    });
    time = new Date('2026-01-07T10:00:00Z');
    await publish({ title: 'Newer' });
    const text = await bodyOf('/blog/faden-nadeln');
    expect(text).toContain('<h1 class="title" dir="auto">Fäden &amp; &lt;Nadeln&gt;</h1>');
    expect(text).toContain('<title>Fäden &amp; &lt;Nadeln&gt; · Blog</title>');
    expect(text).toContain('<strong>bold</strong>');
    expect(text).not.toMatch(/<script|<style|style=|onclick/);
    expect(text).toContain('<time datetime="2026-01-06T10:00:00.000Z">January 6, 2026</time>');
    expect(text).toContain('href="/blog/tag/c%2B%2B"');
    expect(text).toMatch(/rel="prev" href="\/blog\/older"/);
    expect(text).toMatch(/rel="next" href="\/blog\/newer"/);
    expect(text).toContain(`<link rel="canonical" href="${HERE}/blog/faden-nadeln">`);
    expect(await bodyOf('/blog/tag/C%2B%2B')).toContain('Nadeln');
    expect(await bodyOf(`/blog/tag/${encodeURIComponent('糸')}`)).toContain('Nadeln');
  });

  it('finds a post by an address in any script', async () => {
    await publish({ title: '糸を通す' });
    expect((await ask('/blog/糸を通す')).status).toBe(200);
    expect((await ask(`/blog/${encodeURIComponent('糸を通す'.normalize('NFD'))}`)).status).toBe(200);
  });

  it('shows ten posts a page, newest first', async () => {
    for (let number = 1; number <= 21; number++) {
      time = new Date(Date.UTC(2026, 1, number));
      await publish({ title: `Number ${number}.`, tags: 'all' });
    }
    const first = await bodyOf('/blog');
    expect(first.match(/<article>/g)).toHaveLength(10);
    expect(first.indexOf('Number 21.')).toBeLessThan(first.indexOf('Number 12.'));
    expect(first).toContain('href="/blog?page=2"');
    expect(first).toContain('Page 1 of 3');
    expect(await bodyOf('/blog?page=3')).toContain('Number 1.');
    expect((await ask('/blog?page=4')).status).toBe(404);
    expect(await bodyOf('/blog/tag/all?page=2')).toContain('href="/blog/tag/all?page=3"');
  });

  it('searches for whatever is typed, and shows it again without harm', async () => {
    await publish({ content: 'needle' });
    expect(await bodyOf('/blog/search?q=which+needle')).toContain('1 found');
    const text = await bodyOf(`/blog/search?q=${encodeURIComponent('"><script>x</script> NEAR(* ')}`);
    expect(text).toContain('Nothing was found');
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;x&lt;/script&gt; NEAR(*"');
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect(await bodyOf('/blog/search')).toContain('Type one word or several');
    expect((await ask(`/blog/search?q=${'x'.repeat(5_000)}`)).status).toBe(200);
  });

  it('speaks the language of the blog, and uses its configured address', async () => {
    await publish();
    await client.call('blog_settings', { action: 'set', language: 'de', title: 'Fäden' });
    routes = createBlogRoutes({ store, options: { url: 'https://example.org' } });
    const text = await bodyOf('/blog/title');
    expect(text).toContain('<html lang="de">');
    expect(text).toContain('5. Januar 2026');
    expect(text).toContain('href="https://example.org/blog/title"');
    expect(await bodyOf('/blog/feed.atom')).toContain('https://example.org/blog/title');
  });

  it('says when a post was changed later', async () => {
    const id = await publish();
    expect(await bodyOf('/blog/title')).not.toContain('Last changed');
    time = new Date('2026-03-01T00:00:00Z');
    await client.call('edit_post', { id, content: 'New' });
    expect(await bodyOf('/blog/title')).toMatch(/Last changed on <time[^>]*>March 1, 2026/);
  });
});

describe('style', () => {
  it('comes as a sheet of its own, for good under the address of its content', async () => {
    const [, path = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(await bodyOf('/blog')) ?? [];
    const response = await ask(path);
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect((await ask('/blog/style.css')).headers.get('cache-control')).toBe('no-cache');
    expect((await ask('/blog/style.css?v=')).headers.get('cache-control')).toBe('no-cache');
    await client.call('blog_settings', { action: 'set', theme: 'serif' });
    await client.call('blog_customize_theme', { css: '.mine { color: red }' });
    expect(await bodyOf('/blog')).not.toContain(path);
    expect(await bodyOf('/blog/style.css')).toContain('.mine { color: red }');
    expect(await bodyOf('/blog')).not.toContain('.mine');
  });
});

describe('guards and conditions', () => {
  it.each(['/blog', '/blog/title', '/blog/feed.xml', '/blog/style.css', '/blog/none', '/blog/icon.svg'])(
    'guards %s',
    async (path) => {
      await publish();
      const { headers } = await ask(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; style-src 'self'");
      expect(policy).not.toMatch(/unsafe|script-src/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    },
  );

  it('answers HEAD like GET, without the body', async () => {
    await publish();
    const whole = await ask('/blog/title');
    const head = await ask('/blog/title', { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(whole.headers));
    expect(await head.text()).toBe('');
    expect(Number(head.headers.get('content-length'))).toBe(Buffer.byteLength(await whole.text()));
  });

  it.each([
    '/blog',
    '/blog/title',
    '/blog/feed.xml',
    '/blog/feed.atom',
    '/blog/sitemap.xml',
    '/blog/style.css',
  ])('does not send %s twice', async (path) => {
    await publish();
    const etag = (await ask(path)).headers.get('etag') ?? '';
    for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await ask(path, { headers: { 'if-none-match': tags } });
      expect(again.status, tags).toBe(304);
      expect(await again.text()).toBe('');
      expect(again.headers.get('etag')).toBe(etag);
    }
    expect((await ask(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('goes by the date as well, once the second of the change is over', async () => {
    const id = await publish();
    expect((await ask('/blog')).headers.get('last-modified')).toBeNull();
    time = new Date('2026-01-05T10:00:01Z');
    const modified = (await ask('/blog')).headers.get('last-modified') ?? '';
    expect(modified).toBe('Mon, 05 Jan 2026 10:00:00 GMT');
    const since = { headers: { 'if-modified-since': modified } };
    expect((await ask('/blog', since)).status).toBe(304);
    expect((await ask('/blog', { headers: { 'if-modified-since': 'nonsense' } })).status).toBe(200);
    time = new Date('2026-01-05T10:00:05Z');
    await client.call('delete_post', { id });
    time = new Date('2026-01-05T10:00:07Z');
    expect((await ask('/blog', since)).status).toBe(200);
    expect((await ask('/blog/title', since)).status).toBe(404);
  });
});

describe('covers', () => {
  const picture = (mimeType: string): Picture => ({
    mimeType,
    size: 3,
    sha256: 'abc',
    read: async () => new Response('gif').body as ReadableStream<Uint8Array>,
  });
  const withPictures = (kept: Record<string, Picture>): BlogParts => ({
    store,
    pictures: { find: async (key) => kept[key] },
  });

  it('shows the cover of a public post, and only of one', async () => {
    routes = createBlogRoutes(withPictures({ a: picture('image/gif') }));
    await publish({ title: 'Open', cover_image_key: 'a' });
    await publish({ title: 'Secret', cover_image_key: 'a', visibility: 'peers' });
    expect(await bodyOf('/blog/open')).toContain('<img class="cover" src="/blog/open/cover"');
    const cover = await ask('/blog/open/cover');
    expect(cover.headers.get('content-type')).toBe('image/gif');
    expect(await cover.text()).toBe('gif');
    expect((await ask('/blog/open/cover', { headers: { 'if-none-match': '"abc"' } })).status).toBe(304);
    expect((await ask('/blog/secret/cover')).status).toBe(404);
  });

  it('shows none that is missing, that is no picture, or that could hold a script', async () => {
    routes = createBlogRoutes(withPictures({ a: picture('image/svg+xml'), b: picture('text/html') }));
    for (const key of ['a', 'b', 'c']) {
      await publish({ title: key, cover_image_key: key });
      expect(await bodyOf(`/blog/${key}`)).not.toContain('class="cover"');
      expect((await ask(`/blog/${key}/cover`)).status).toBe(404);
    }
  });
});

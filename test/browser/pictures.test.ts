/** A sample blog fits every window. `BLOG_PICTURES=docs/images` keeps the pictures, for people to look at. */
import { mkdir, writeFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, type ServedBlog, serveBlog } from './pages.ts';
import { SAMPLE_POSTS, SAMPLE_SETTINGS } from './sample-blog.ts';

/** Undefined when nobody wants the pictures. */
const FOLDER = process.env['BLOG_PICTURES'];
const MAX_BYTES = 150_000;
const DESK = { width: 1100, height: 820 };
/** A sheet of A4 without its margins. */
const SHEET = { width: 680, height: 970 };
const PHONE = { width: 390, height: 780 };
const POST = '/blog/the-quiet-art-of-darning';

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly theme: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'dark';
  readonly media?: 'print';
}

const SHOTS: readonly Shot[] = [
  { name: 'list', path: '/blog', theme: 'light', viewport: DESK },
  { name: 'post-light', path: POST, theme: 'light', viewport: DESK },
  { name: 'post-serif-in-dark-mode', path: POST, theme: 'serif', viewport: DESK, colorScheme: 'dark' },
  { name: 'post-dark', path: POST, theme: 'dark', viewport: DESK },
  { name: 'post-serif', path: POST, theme: 'serif', viewport: DESK },
  { name: 'list-serif', path: '/blog', theme: 'serif', viewport: DESK },
  { name: 'phone', path: '/blog', theme: 'light', viewport: PHONE },
  { name: 'phone-post-dark', path: POST, theme: 'light', viewport: PHONE, colorScheme: 'dark' },
  { name: 'print', path: POST, theme: 'dark', viewport: SHEET, media: 'print' },
];

let browser: Browser;
let blog: ServedBlog;

beforeAll(async () => {
  if (FOLDER !== undefined) await mkdir(FOLDER, { recursive: true });
  browser = await launchBrowser();
  blog = await serveBlog();
  await blog.client.call('blog_settings', SAMPLE_SETTINGS);
  for (const [day, post] of SAMPLE_POSTS) {
    blog.setTime(`${day}T08:00:00Z`);
    const { data } = await blog.client.call('create_post', { ...post, visibility: 'public' });
    await blog.client.call('publish_post', { id: Number(data['id']) });
  }
});

afterAll(async () => {
  await browser.close();
  await blog.close();
});

describe('the sample blog', () => {
  it.each(SHOTS)('fits its window: $name', async ({ name, path, theme, viewport, colorScheme, media }) => {
    await blog.client.call('blog_settings', { action: 'set', theme });
    const page = await browser.newPage({ viewport, colorScheme: colorScheme ?? 'light' });
    await page.emulateMedia({ media: media ?? 'screen', colorScheme: colorScheme ?? 'light' });
    await page.goto(`${blog.origin}${path}`);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    const picture = await page.screenshot();
    expect(picture.length).toBeLessThan(MAX_BYTES);
    if (FOLDER !== undefined) await writeFile(`${FOLDER}/blog-${name}.png`, picture);
    await page.close();
  });

  it.each(['light', 'serif'])('fits a phone with words that never end (%s)', async (theme) => {
    const word = 'Donaudampfschiff'.repeat(12);
    const args = { title: word, excerpt: word, author: word, tags: `${word}, b` };
    const content = `${word}\n\n## ${word}\n\n- ${word}\n\n> ${word}\n\n\`${word}\`\n\n| ${word} | b |\n|--|--|\n| c | d |\n\n    ${word}`;
    const { data } = await blog.client.call('create_post', { ...args, content, visibility: 'public' });
    await blog.client.call('publish_post', { id: Number(data['id']) });
    await blog.client.call('blog_settings', { action: 'set', theme, title: word, tagline: word });
    const page = await browser.newPage({ viewport: { width: 320, height: 640 } });
    for (const path of ['/blog', `/blog/${String(data['slug'])}`, '/blog/tag/b', `/blog/search?q=${word}`]) {
      await page.goto(`${blog.origin}${path}`);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      expect(overflow, path).toBeLessThanOrEqual(0);
    }
    await page.close();
  });
});

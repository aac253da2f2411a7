/** Hostile text in every field of every page, in a real browser: nothing runs, nothing complains, feeds stay XML. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHostileStrings, SCRIPT_ATTEMPTS } from './hostile-strings.ts';
import { launchBrowser, type ServedBlog, serveBlog } from './pages.ts';

/** Every attempt to run something, and every eighth of the rest; all of them with BROWSER_FULL=1. */
const STRINGS = readHostileStrings().filter(
  (_, at) => process.env['BROWSER_FULL'] === '1' || at < SCRIPT_ATTEMPTS.length || at % 8 === 0,
);
/** How many posts a feed shows. */
const IN_FEED = 30;
/** Pictures of hostile posts lead nowhere; that is no fault of the page. */
const MISSING = /^Failed to load resource/;

/** What a page must not hold, whatever was written into it; runs in the page. */
const AUDIT = `(() => {
  const found = [];
  for (const element of document.querySelectorAll('*')) {
    if (/^(script|style|iframe|frame|object|embed|base|template|textarea|audio|video|math)$/i.test(element.tagName)) found.push(element.tagName);
    for (const { name, value } of element.attributes) {
      if (/^on|^style$|^srcdoc$/i.test(name)) found.push(element.tagName + ' ' + name);
      if (/^(href|src|action|formaction|data)$/i.test(name) && !/^(https?|mailto):$/.test(new URL(value, document.baseURI).protocol)) found.push(name + ' ' + value);
    }
  }
  if (document.querySelectorAll('main').length !== 1 || document.querySelectorAll('h1').length !== 1) found.push('landmarks');
  if (document.forms.length !== 1) found.push('forms');
  if (!document.styleSheets[0]?.cssRules.length) found.push('no style sheet');
  if (window.ran !== undefined) found.push('a script ran');
  return found;
})()`;

let browser: Browser;
let blog: ServedBlog;
let troubles: string[];
/** As readers have it. */
let guarded: Page;
/** Without the policy, so that whatever got past the sanitiser would run. */
let bare: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  blog = await serveBlog();
  guarded = await openPage(await browser.newContext());
  bare = await openPage(await browser.newContext({ bypassCSP: true }));
  troubles = [];
});

afterAll(async () => {
  await browser.close();
  await blog.close();
});

async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (/error|warning/.test(message.type()) && !MISSING.test(message.text()))
      troubles.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  return page;
}

async function look(page: Page, path: string): Promise<void> {
  await page.goto(`${blog.origin}${path}`, { waitUntil: 'load' });
  for (const found of (await page.evaluate(AUDIT)) as string[]) troubles.push(`found: ${found}`);
}

/** Writes the string wherever it is taken; returns the address of the post. */
async function write(text: string): Promise<string> {
  const { client } = blog;
  const short = [...text].slice(0, 90).join('');
  await client.call('blog_settings', { action: 'set', title: short, tagline: short, author: short });
  const { data } = await client.call('create_post', { title: 'x', content: 'x', visibility: 'public' });
  const id = Number(data['id']);
  // One at a time: a title that cannot be seen is refused, and the rest is still to be tried.
  await client.call('edit_post', { id, title: short });
  await client.call('edit_post', { id, slug: short });
  await client.call('edit_post', { id, tags: short });
  await client.call('edit_post', { id, excerpt: short, author: short, cover_image_key: short });
  const written = await client.call('edit_post', { id, content: text });
  await client.call('publish_post', { id });
  const post = (await client.call('get_post', { id })).data;
  if (!written.isError && post['content'] !== text)
    troubles.push('the text was not read back as it was written');
  return `/blog/${encodeURIComponent(String(post['slug']))}`;
}

async function isXml(path: string): Promise<boolean> {
  const text = await (await fetch(`${blog.origin}${path}`)).text();
  await guarded.goto('about:blank');
  const parse = `new DOMParser().parseFromString(${JSON.stringify(text)}, 'application/xml').querySelector('parsererror')?.textContent ?? ''`;
  const fault = await guarded.evaluate(parse);
  if (fault !== '') troubles.push(`${path}: ${String(fault)}`);
  return fault === '';
}

describe('hostile text', { timeout: 600_000 }, () => {
  it('runs nothing and breaks no page, in every field and in what is searched for', async () => {
    expect(STRINGS.length).toBeGreaterThan(SCRIPT_ATTEMPTS.length);
    for (const [at, text] of STRINGS.entries()) {
      const path = await write(text);
      const search = `/blog/search?q=${encodeURIComponent(Buffer.from(text).toString())}`;
      await Promise.all([look(guarded, path), look(bare, search)]);
      if (at < SCRIPT_ATTEMPTS.length) await Promise.all([look(bare, path), look(guarded, search)]);
      if (at % 10 === 0) await look(guarded, '/blog');
      expect(troubles, JSON.stringify(text)).toEqual([]);
      if (at % IN_FEED === 0 || at === STRINGS.length - 1) {
        for (const feed of ['feed.xml', 'feed.atom', 'sitemap.xml']) await isXml(`/blog/${feed}`);
        expect(troubles, `feeds after ${JSON.stringify(text)}`).toEqual([]);
      }
    }
  });

  it('leaves every list and tag readable afterwards', async () => {
    const paths = new Set<string>();
    const pages = Math.ceil(STRINGS.length / 10);
    for (let page = 1; page <= pages; page++) {
      await look(bare, page === 1 ? '/blog' : `/blog?page=${page}`);
      const links = (await bare.evaluate(
        `[...document.querySelectorAll('a[rel=tag]')].map((link) => link.getAttribute('href'))`,
      )) as string[];
      for (const link of links) paths.add(link);
    }
    expect(paths.size).toBeGreaterThan(20);
    for (const path of paths) {
      const { status } = await fetch(`${blog.origin}${path}`);
      if (status !== 200) troubles.push(`${path}: ${status}`);
    }
    for (const path of [...paths].slice(0, 60)) await look(bare, path);
    expect(troubles).toEqual([]);
  });
});

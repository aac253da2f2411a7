/** Feeds and the map of the site stay XML, and say what was written. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileStrings } from '../builtin.contract.ts';
import { toFeed, toSitemap } from './feeds.ts';
import { renderMarkdown } from './markdown.ts';
import type { Site } from './pages/site.ts';
import type { Post } from './tables.ts';
import { childrenOf, parseXml, type XmlElement } from './xml-check.contract.ts';

const POST: Post = {
  id: 1,
  principal: 'local',
  slug: 'häkeln',
  title: 'Salt & <Pepper>',
  content: 'x',
  excerpt: 'a & b',
  is_own_excerpt: 1,
  author: 'Ann',
  status: 'published',
  visibility: 'public',
  cover_image_key: null,
  tags: 'A & B, <c>, "d"',
  published_at: '2026-01-05T00:00:00.000Z',
  created_at: '2026-01-04T00:00:00.000Z',
  updated_at: '2026-01-06T00:00:00.000Z',
  grams: null,
};

function toSite(text?: string): Site {
  return {
    origin: 'http://here:8080',
    stylePath: '/blog/style.css',
    settings: {
      title: text ?? 'Threads & Needles',
      tagline: text,
      author: text,
      language: 'en',
      theme: 'light',
      css: undefined,
      changedAt: '2026-01-07T00:00:00.000Z',
    },
  };
}

function toHostile(text: string): Post {
  return { ...POST, title: text, excerpt: text, author: text, tags: text };
}

const HOSTILE = [
  ...hostileStrings(),
  ']]>',
  ']]>]]>]]><a>',
  '&amp;lt;b&amp;gt;',
  '&undefined; &#0; <![CDATA[',
  '\u0001\u0008\u000b\u001f\ufffe\uffff x',
  '<a b="c">d</a>',
];

/** HTML back to the text it shows. */
const unescapeOnce = (text: string | undefined) =>
  text?.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const textOf = (element: XmlElement | undefined, name: string) => childrenOf(element, name)[0]?.text;

describe('RSS', () => {
  it('says what was written', () => {
    const rss = parseXml(toFeed('rss', toSite(), [{ post: POST, text: '<p>x]]> &amp; y</p>' }]));
    const [channel] = childrenOf(rss, 'channel');
    expect(rss).toMatchObject({ name: 'rss', attributes: { version: '2.0' } });
    expect(textOf(channel, 'title')).toBe('Threads & Needles');
    expect(textOf(channel, 'link')).toBe('http://here:8080/blog');
    expect(childrenOf(channel, 'atom:link')[0]?.attributes).toMatchObject({
      href: 'http://here:8080/blog/feed.xml',
      rel: 'self',
    });
    const [item] = childrenOf(channel, 'item');
    expect(unescapeOnce(textOf(item, 'title'))).toBe('Salt & <Pepper>');
    expect(textOf(item, 'link')).toBe('http://here:8080/blog/h%C3%A4keln');
    expect(textOf(item, 'guid')).toBe('http://here:8080/blog/h%C3%A4keln');
    expect(textOf(item, 'pubDate')).toBe('Mon, 05 Jan 2026 00:00:00 GMT');
    expect(textOf(item, 'content:encoded')).toBe('<p>x]]&gt; &amp; y</p>');
    expect(textOf(item, 'dc:creator')).toBe('Ann');
    expect(childrenOf(item, 'category').map(({ text }) => text)).toEqual(['A & B', '<c>', '"d"']);
    expect(rss.attributes).toMatchObject({
      'xmlns:dc': expect.any(String),
      'xmlns:content': expect.any(String),
    });
  });
});

describe('Atom', () => {
  it('says what was written', () => {
    const feed = parseXml(toFeed('atom', toSite(), [{ post: POST, text: '<p>x</p>' }]));
    expect(feed).toMatchObject({ name: 'feed', attributes: { xmlns: 'http://www.w3.org/2005/Atom' } });
    expect(textOf(feed, 'title')).toBe('Threads & Needles');
    expect(textOf(feed, 'id')).toBe('http://here:8080/blog');
    expect(textOf(feed, 'updated')).toBe('2026-01-07T00:00:00.000Z');
    expect(textOf(childrenOf(feed, 'author')[0], 'name')).toBe('Threads & Needles');
    const [entry] = childrenOf(feed, 'entry');
    expect(childrenOf(entry, 'title')[0]).toMatchObject({
      attributes: { type: 'html' },
      text: 'Salt &amp; &lt;Pepper&gt;',
    });
    expect(textOf(entry, 'published')).toBe('2026-01-05T00:00:00.000Z');
    expect(textOf(entry, 'updated')).toBe('2026-01-06T00:00:00.000Z');
    expect(childrenOf(entry, 'category').map(({ attributes }) => attributes)).toEqual([
      { label: 'A & B', term: 'a & b' },
      { label: '<c>', term: '<c>' },
      { label: '"d"', term: '"d"' },
    ]);
  });
});

describe.each(['rss', 'atom'] as const)('a feed (%s)', (kind) => {
  it.each(HOSTILE)('stays XML with %j in every field', (text) => {
    const item = { post: toHostile(text), text: renderMarkdown(text) };
    expect(() => parseXml(toFeed(kind, toSite(text), [item, { post: POST, text: '' }]))).not.toThrow();
  });

  it('stays XML with anything in every field', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }), (text) => {
        const item = { post: toHostile(text), text: renderMarkdown(text) };
        parseXml(toFeed(kind, toSite(text), [item]));
      }),
    );
  });

  it('is XML without a single post', () => {
    expect(() => parseXml(toFeed(kind, toSite(), []))).not.toThrow();
  });
});

describe('the map of the site', () => {
  it('names the list and every post with its last change', () => {
    const map = parseXml(toSitemap('http://here', [POST]));
    const [home, post] = childrenOf(map, 'url');
    expect(textOf(home, 'loc')).toBe('http://here/blog');
    expect(textOf(post, 'loc')).toBe('http://here/blog/h%C3%A4keln');
    expect(textOf(post, 'lastmod')).toBe(POST.updated_at);
  });
});

/** RSS, Atom and the map of the site: XML that stays valid whatever a post holds. */
import { Feed } from 'feed';
import { BLOG_PATH, toPostPath } from './context.ts';
import type { Site } from './pages/site.ts';
import type { Post } from './tables.ts';
import { parseTags } from './tags.ts';

/** A post with its text as HTML whose addresses are whole. */
export interface FeedItem {
  readonly post: Post;
  readonly text: string;
}

/** Which feed. */
export type FeedKind = 'rss' | 'atom';

/** Characters that XML 1.0 cannot hold, not even escaped. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/**
 * Stands for the beginning of an entity until the feed is written. The library escapes some places twice and
 * some not at all; this character is none XML can hold, so it means nothing else, and passes everywhere.
 */
const ENTITY = '\uFFFE';

/** The feed of the newest posts. */
export function toFeed(kind: FeedKind, site: Site, items: readonly FeedItem[]): string {
  const { settings, origin } = site;
  const home = `${origin}${BLOG_PATH}`;
  const feed = new Feed({
    id: home,
    link: home,
    feed: `${home}/${kind === 'rss' ? 'feed.xml' : 'feed.atom'}`,
    title: toText(settings.title),
    description: toText(settings.tagline ?? settings.title),
    language: settings.language,
    updated: new Date(settings.changedAt ?? 0),
    generator: 'Thimble',
    author: { name: toText(settings.author ?? settings.title) },
  });
  for (const item of items) addItem(feed, kind, site, item);
  return (kind === 'rss' ? feed.rss2() : feed.atom1()).replaceAll(ENTITY, '&');
}

/** Where search engines find the pages. */
export function toSitemap(origin: string, posts: readonly Pick<Post, 'slug' | 'updated_at'>[]): string {
  const pages = posts.map(({ slug, updated_at }) =>
    toSitemapEntry(`${origin}${toPostPath(slug)}`, updated_at),
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${[toSitemapEntry(`${origin}${BLOG_PATH}`), ...pages].join('\n')}
</urlset>
`;
}

function addItem(feed: Feed, kind: FeedKind, { settings, origin }: Site, { post, text }: FeedItem): void {
  const link = `${origin}${toPostPath(post.slug)}`;
  const author = toText(post.author ?? settings.author ?? settings.title);
  feed.addItem({
    title: toText(post.title),
    id: link,
    link,
    date: new Date(post.updated_at),
    published: new Date(post.published_at ?? post.created_at),
    description: toText(post.excerpt),
    // Without one the library leaves out the namespace that the author's element needs.
    content: toMarkup(text) || '<p></p>',
    category: parseTags(post.tags ?? '').map(({ key, name }) => ({ name: toText(name), term: toText(key) })),
    // RSS has room for an address of mail only; the element of Dublin Core is the one that takes a name.
    ...(kind === 'rss'
      ? { extensions: [{ name: 'dc:creator', objects: { _text: author } }] }
      : { author: [{ name: author }] }),
  });
}

function toSitemapEntry(address: string, changed?: string): string {
  const at = changed === undefined ? '' : `<lastmod>${changed}</lastmod>`;
  return `<url><loc>${toText(address).replaceAll(ENTITY, '&')}</loc>${at}</url>`;
}

function toText(text: string): string {
  return text
    .replaceAll(FORBIDDEN, '')
    .replaceAll('&', `${ENTITY}amp;`)
    .replaceAll('<', `${ENTITY}lt;`)
    .replaceAll('>', `${ENTITY}gt;`);
}

/** HTML for a CDATA section; only its end must not come in it. */
function toMarkup(html: string): string {
  return html.replaceAll(FORBIDDEN, '').replaceAll(']]>', `]]${ENTITY}gt;`);
}

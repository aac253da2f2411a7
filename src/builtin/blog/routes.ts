/** Which address of the blog shows what. */
import { type Blog, toPostPath } from './context.ts';
import { type FeedKind, toFeed, toSitemap } from './feeds.ts';
import type { OpenSite } from './open-site.ts';
import { ICON_SVG } from './pages/icon.ts';
import { type Page, toDocument } from './pages/layout.ts';
import { type ListPart, toHomePage, toSearchPage, toTagPage } from './pages/list.ts';
import { toMissingPage, toPostPage } from './pages/post.ts';
import { isPicture, sendPicture } from './picture.ts';
import type { Picture } from './ports.ts';
import {
  countPosts,
  countTags,
  FOR_ANYONE,
  findBySlug,
  findNeighbours,
  findTag,
  listAddresses,
  listPosts,
  searchPosts,
} from './posts.ts';
import type { Renderer } from './renderer.ts';
import type { Reply } from './respond.ts';
import type { Post } from './tables.ts';
import { toTagKey } from './tags.ts';

/** What a route is given. */
export interface Visit {
  readonly blog: Blog;
  readonly site: OpenSite;
  readonly render: Renderer;
  readonly request: Request;
  readonly query: URLSearchParams;
  /** The path after the blog's own, decoded. */
  readonly segments: readonly string[];
}

/** Answers one address. */
export type Route = (visit: Visit) => Promise<Reply | Response>;

const POSTS_A_PAGE = 10;
const POSTS_FOUND = 50;
const POSTS_IN_FEED = 30;
const POSTS_IN_SITEMAP = 10_000;
const TAGS_SHOWN = 20;
const MAX_QUERY = 200;

const FIXED: Readonly<Record<string, Route>> = {
  'feed.xml': (visit) => showFeed('rss', 'application/rss+xml; charset=utf-8', visit),
  'feed.atom': (visit) => showFeed('atom', 'application/atom+xml; charset=utf-8', visit),
  'sitemap.xml': showSitemap,
  'style.css': showStyle,
  'icon.svg': async () => ({ status: 200, type: 'image/svg+xml', body: ICON_SVG }),
  search: showSearch,
};

/** The route of an address; one that shows a missing page when there is none. */
export function findRoute(segments: readonly string[]): Route {
  const [first = '', second] = segments;
  if (segments.length === 0) return showHome;
  if (segments.length === 1) return Object.hasOwn(FIXED, first) ? (FIXED[first] ?? showPost) : showPost;
  if (segments.length === 2 && first === 'tag') return showTag;
  if (segments.length === 2 && second === 'cover') return showCover;
  return showMissing;
}

async function showHome(visit: Visit): Promise<Reply> {
  const { blog, site } = visit;
  const part = await readPart(visit, await countPosts(blog, FOR_ANYONE), undefined);
  if (!part) return showMissing(visit);
  const tags = part.page === 1 ? await countTags(blog, FOR_ANYONE, TAGS_SHOWN) : [];
  return toReply(visit, toHomePage(site, part, tags));
}

async function showTag(visit: Visit): Promise<Reply> {
  const { blog, site, segments } = visit;
  const key = toTagKey(segments[1] ?? '');
  const tag = await findTag(blog, FOR_ANYONE, key);
  const part = tag && (await readPart(visit, tag.posts, key));
  return part ? toReply(visit, toTagPage(site, tag, part)) : showMissing(visit);
}

async function showSearch(visit: Visit): Promise<Reply> {
  const { blog, site, query } = visit;
  const text = [...(query.get('q') ?? '').trim()].slice(0, MAX_QUERY).join('');
  const part = { limit: POSTS_FOUND, offset: 0 };
  const { posts } = text === '' ? { posts: [] } : await searchPosts(blog, FOR_ANYONE, text, part);
  return toReply(visit, toSearchPage(site, text, posts));
}

async function showPost(visit: Visit): Promise<Reply> {
  const { blog, site, render, segments } = visit;
  const post = await findBySlug(blog, segments[0] ?? '', FOR_ANYONE);
  if (!post) return showMissing(visit);
  const hasCover = (await findCover(blog, post)) !== undefined;
  const view = { post, text: render(post.content), hasCover, ...(await findNeighbours(blog, post)) };
  return toReply(visit, toPostPage(site, view));
}

async function showCover(visit: Visit): Promise<Reply | Response> {
  const { blog, request, segments } = visit;
  const post = await findBySlug(blog, segments[0] ?? '', FOR_ANYONE);
  const picture = post && (await findCover(blog, post));
  return picture ? sendPicture(request, picture) : showMissing(visit);
}

async function showFeed(kind: FeedKind, type: string, { blog, site, render }: Visit): Promise<Reply> {
  const posts = await listPosts(blog, FOR_ANYONE, { limit: POSTS_IN_FEED, offset: 0 });
  const items = posts.map((post) => ({
    post,
    text: render(post.content, `${site.origin}${toPostPath(post.slug)}`),
  }));
  return { status: 200, type, body: toFeed(kind, site, items), changedAt: site.settings.changedAt };
}

async function showSitemap({ blog, site }: Visit): Promise<Reply> {
  const posts = await listAddresses(blog, FOR_ANYONE, POSTS_IN_SITEMAP);
  const body = toSitemap(site.origin, posts);
  return { status: 200, type: 'application/xml; charset=utf-8', body, changedAt: site.settings.changedAt };
}

async function showStyle({ site, query }: Visit): Promise<Reply> {
  const isForever = site.stylePath.endsWith(`?v=${query.get('v') ?? ''}`);
  return { status: 200, type: 'text/css; charset=utf-8', body: site.styleSheet, isForever };
}

async function showMissing(visit: Visit): Promise<Reply> {
  return { ...toReply(visit, toMissingPage()), status: 404, changedAt: undefined };
}

function toReply({ site }: Visit, page: Page): Reply {
  const body = toDocument(site, page);
  return { status: 200, type: 'text/html; charset=utf-8', body, changedAt: site.settings.changedAt };
}

/** The cover of a post, if it is a picture that is still kept. */
async function findCover({ pictures }: Blog, { cover_image_key }: Post): Promise<Picture | undefined> {
  const picture = cover_image_key === null ? undefined : await pictures?.find(cover_image_key);
  return picture && isPicture(picture) ? picture : undefined;
}

/** The part of a list that was asked for; undefined beyond its end. */
async function readPart(
  { blog, query }: Visit,
  total: number,
  tag: string | undefined,
): Promise<ListPart | undefined> {
  const asked = query.get('page') ?? '1';
  const page = /^[1-9]\d{0,6}$/.test(asked) ? Number(asked) : 0;
  const pages = Math.max(1, Math.ceil(total / POSTS_A_PAGE));
  if (page < 1 || page > pages) return undefined;
  const part = { limit: POSTS_A_PAGE, offset: (page - 1) * POSTS_A_PAGE };
  return { posts: await listPosts(blog, { ...FOR_ANYONE, tag }, part), page, pages };
}

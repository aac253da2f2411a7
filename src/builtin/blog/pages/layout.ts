/** The frame around every page: head, header with search, and footer. */
import { BLOG_PATH } from '../context.ts';
import { type Html, html } from './html.ts';
import type { Site } from './site.ts';

/** One page. */
export interface Page {
  /** For the title bar; the blog's own title without it. */
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The path this page is known by; undefined for pages that should not be found by search engines. */
  readonly path?: string | undefined;
  readonly isArticle?: boolean;
  /** What was searched for, to stand in the field again. */
  readonly query?: string | undefined;
  readonly image?: string | undefined;
  readonly main: Html;
}

const MAGNIFIER = html`<svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" aria-hidden="true" focusable="false"><circle cx="10.5" cy="10.5" r="6.5"/><path d="m15.5 15.5 5 5"/></svg>`;

/** The whole document. */
export function toDocument(site: Site, page: Page): string {
  const { settings } = site;
  const isHome = page.path === BLOG_PATH;
  const heading = html`<a href="${BLOG_PATH}" rel="home"${isHome && html` aria-current="page"`}>${settings.title}</a>`;
  return html`<!doctype html>
<html lang="${settings.language}">
${toHead(site, page)}
<body>
<a class="skip" href="#main">Skip to content</a>
<div class="frame">
<header class="site">
<div class="brand">
${isHome ? html`<h1 class="name" dir="auto">${heading}</h1>` : html`<p class="name" dir="auto">${heading}</p>`}
${settings.tagline !== undefined && html`<p class="tagline" dir="auto">${settings.tagline}</p>`}
</div>
<search><form class="search" action="${BLOG_PATH}/search" method="get">
<label class="unseen" for="q">Search this blog</label>
<input id="q" name="q" type="search" maxlength="200" placeholder="Search" autocomplete="off" dir="auto" value="${page.query ?? ''}">
<button type="submit" aria-label="Search">${MAGNIFIER}</button>
</form></search>
</header>
<main id="main" tabindex="-1">
${page.main}
</main>
<footer class="site">
<nav aria-label="Feeds"><ul>
<li><a href="${BLOG_PATH}">All posts</a></li>
<li><a href="${BLOG_PATH}/feed.xml" type="application/rss+xml">RSS</a></li>
<li><a href="${BLOG_PATH}/feed.atom" type="application/atom+xml">Atom</a></li>
</ul></nav>
</footer>
</div>
</body>
</html>
`.markup;
}

function toHead({ settings, origin, stylePath }: Site, page: Page): Html {
  const title = page.title === undefined ? settings.title : `${page.title} · ${settings.title}`;
  const description = page.description ?? settings.tagline;
  const address = page.path === undefined ? undefined : `${origin}${page.path}`;
  return html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${description !== undefined && html`<meta name="description" content="${description}">`}
${address === undefined ? html`<meta name="robots" content="noindex">` : html`<link rel="canonical" href="${address}">`}
<meta property="og:title" content="${page.title ?? settings.title}">
<meta property="og:type" content="${page.isArticle ? 'article' : 'website'}">
<meta property="og:site_name" content="${settings.title}">
${address !== undefined && html`<meta property="og:url" content="${address}">`}
${description !== undefined && html`<meta property="og:description" content="${description}">`}
${page.image !== undefined && html`<meta property="og:image" content="${origin}${page.image}">`}
<link rel="stylesheet" href="${stylePath}">
<link rel="icon" href="${BLOG_PATH}/icon.svg" type="image/svg+xml">
<link rel="alternate" type="application/rss+xml" title="${settings.title} (RSS)" href="${BLOG_PATH}/feed.xml">
<link rel="alternate" type="application/atom+xml" title="${settings.title} (Atom)" href="${BLOG_PATH}/feed.atom">
</head>`;
}

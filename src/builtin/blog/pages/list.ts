/** Pages that list posts: all of them, those with a tag, and those that were searched for. */
import { BLOG_PATH, toPostPath, toTagPath } from '../context.ts';
import type { TagCount } from '../posts.ts';
import type { Post } from '../tables.ts';
import { type Html, html } from './html.ts';
import type { Page } from './layout.ts';
import { toByline, toTagList } from './post-parts.ts';
import type { Site } from './site.ts';

/** A part of a list. */
export interface ListPart {
  readonly posts: readonly Post[];
  /** From 1. */
  readonly page: number;
  readonly pages: number;
}

/** All posts, newest first. */
export function toHomePage(site: Site, part: ListPart, tags: readonly TagCount[]): Page {
  const isFirst = part.page === 1;
  return {
    title: isFirst ? undefined : `Page ${part.page}`,
    path: toPagePath(BLOG_PATH, part.page),
    main: html`${!isFirst && html`<h1 class="title">Page ${part.page}</h1>`}
${part.posts.length === 0 ? html`<p class="nothing">Nothing has been published here yet.</p>` : toPostList(site, part.posts)}
${toPager(BLOG_PATH, part)}
${isFirst && toTagCloud(tags)}`,
  };
}

/** The posts with a tag. */
export function toTagPage(site: Site, tag: TagCount, part: ListPart): Page {
  const path = toTagPath(tag.key);
  const count = `${tag.posts} ${tag.posts === 1 ? 'post' : 'posts'}`;
  return {
    title: tag.name,
    path: toPagePath(path, part.page),
    main: html`<header class="list"><h1 class="title" dir="auto">${tag.name}</h1><p class="byline"><span>${count}</span></p></header>
${toPostList(site, part.posts)}
${toPager(path, part)}`,
  };
}

/** What a search found. */
export function toSearchPage(site: Site, query: string, posts: readonly Post[]): Page {
  const found = posts.length === 0 ? 'Nothing was found' : `${posts.length} found`;
  return {
    title: query === '' ? 'Search' : `Search: ${query}`,
    query,
    main: html`<header class="list"><h1 class="title">Search</h1>
<p class="byline" role="status"><span>${
      query === ''
        ? 'Type one word or several into the field above.'
        : html`${found} for <q dir="auto">${query}</q>`
    }</span></p></header>
${posts.length > 0 && toPostList(site, posts)}`,
  };
}

function toPostList({ settings }: Site, posts: readonly Post[]): Html {
  const items = posts.map(
    (post) => html`<li><article>
<h2 class="title" dir="auto"><a href="${toPostPath(post.slug)}">${post.title}</a></h2>
${toByline(post, settings)}
<p class="excerpt" dir="auto">${post.excerpt}</p>
${toTagList(post)}
</article></li>`,
  );
  return html`<ul class="posts">${items}</ul>`;
}

function toPager(path: string, { page, pages }: ListPart): Html | undefined {
  if (pages < 2) return undefined;
  return html`<nav class="pager" aria-label="Pages">
${page > 1 ? html`<a rel="prev" href="${toPagePath(path, page - 1)}">Newer posts</a>` : html`<span></span>`}
<span>Page ${page} of ${pages}</span>
${page < pages ? html`<a rel="next" href="${toPagePath(path, page + 1)}">Older posts</a>` : html`<span></span>`}
</nav>`;
}

function toTagCloud(tags: readonly TagCount[]): Html | undefined {
  if (tags.length === 0) return undefined;
  const links = tags.map(
    ({ key, name, posts }) =>
      html`<li><a href="${toTagPath(key)}" dir="auto">${name}</a> <span class="count">${posts}</span></li>`,
  );
  return html`<nav class="topics" aria-labelledby="topics"><h2 id="topics">Topics</h2><ul class="tags">${links}</ul></nav>`;
}

function toPagePath(path: string, page: number): string {
  return page === 1 ? path : `${path}?page=${page}`;
}

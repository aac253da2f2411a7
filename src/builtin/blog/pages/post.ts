/** The page of one post, and the page for what is not there. */
import { BLOG_PATH, toPostPath } from '../context.ts';
import type { Post } from '../tables.ts';
import { Html, html } from './html.ts';
import type { Page } from './layout.ts';
import { toByline, toTagList, toTime } from './post-parts.ts';
import type { Site } from './site.ts';

/** A post with what its page shows of others. */
export interface PostView {
  readonly post: Post;
  /** The sanitised text. */
  readonly text: string;
  readonly hasCover: boolean;
  readonly older: Post | undefined;
  readonly newer: Post | undefined;
}

const DAY_MS = 86_400_000;

/** The page of a post. */
export function toPostPage({ settings }: Site, view: PostView): Page {
  const { post } = view;
  const path = toPostPath(post.slug);
  const cover = view.hasCover ? `${path}/cover` : undefined;
  return {
    title: post.title,
    description: post.excerpt === '' ? undefined : post.excerpt,
    path,
    isArticle: true,
    image: cover,
    main: html`<article class="post">
<header>
<h1 class="title" dir="auto">${post.title}</h1>
${toByline(post, settings)}
</header>
${cover !== undefined && html`<img class="cover" src="${cover}" alt="" decoding="async">`}
<div class="text" dir="auto">
${new Html(view.text)}
</div>
<footer>
${isRevised(post) && html`<p class="revised">Last changed on ${toTime(post.updated_at, settings)}</p>`}
${toTagList(post)}
</footer>
</article>
${toNeighbours(view)}`,
  };
}

/** The page for an address without anything. */
export function toMissingPage(): Page {
  return {
    title: 'Not found',
    main: html`<header class="list"><h1 class="title">Not found</h1></header>
<p>There is nothing at this address. It may have been taken back or moved; the search above and <a href="${BLOG_PATH}">the list of posts</a> show what there is.</p>`,
  };
}

function toNeighbours({ older, newer }: PostView): Html | undefined {
  if (!older && !newer) return undefined;
  return html`<nav class="beside" aria-label="Other posts">
${older && html`<a class="older" rel="prev" href="${toPostPath(older.slug)}"><span>Older</span> <bdi>${older.title}</bdi></a>`}
${newer && html`<a class="newer" rel="next" href="${toPostPath(newer.slug)}"><span>Newer</span> <bdi>${newer.title}</bdi></a>`}
</nav>`;
}

/** A correction on the same day is not worth a line. */
function isRevised({ published_at, updated_at }: Post): boolean {
  return published_at !== null && Date.parse(updated_at) - Date.parse(published_at) > DAY_MS;
}

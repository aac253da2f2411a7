/** The parts of a post that lists and its own page share. */
import { toTagPath } from '../context.ts';
import { toReadingMinutes } from '../excerpt.ts';
import type { Settings } from '../settings.ts';
import type { Post } from '../tables.ts';
import { parseTags } from '../tags.ts';
import { type Html, html } from './html.ts';

/** When, by whom, and how long it takes. */
export function toByline(post: Post, settings: Settings): Html {
  const author = post.author ?? settings.author;
  const minutes = toReadingMinutes(post.content);
  return html`<p class="byline">${toTime(post.published_at ?? post.created_at, settings)}${
    author !== undefined && html`<span class="author" dir="auto">${author}</span>`
  }<span>${minutes} min read</span></p>`;
}

/** The tags as links. */
export function toTagList(post: Post): Html | undefined {
  const tags = parseTags(post.tags ?? '');
  if (tags.length === 0) return undefined;
  const links = tags.map(
    ({ key, name }) => html`<li><a href="${toTagPath(key)}" rel="tag" dir="auto">${name}</a></li>`,
  );
  return html`<ul class="tags" aria-label="Tags">${links}</ul>`;
}

/** A day, in the language of the blog. */
export function toTime(iso: string, { language }: Settings): Html {
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(iso));
  return html`<time datetime="${iso}">${day}</time>`;
}

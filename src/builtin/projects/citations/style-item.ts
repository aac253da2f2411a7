/** Fits an item to a style: the rules CSL cannot express, and text that must not be read as markup. */
import type { CslItem } from './csl-item.ts';
import type { CslName } from './names.ts';
import type { Style } from './styles/style.ts';

/** Stands for "<" while the style works, since it would read <i> in a title as italics; nobody writes it. */
const LESS_THAN = '\u{F8FD}';

/** Kinds whose day counts, and is told by Chicago beside the year. */
const DATED = ['webpage', 'post', 'motion_picture', 'broadcast', 'interview'];

/** Applies what a style asks for beyond the reach of CSL. */
export function forStyle(item: CslItem, style: Style): CslItem {
  if (style === 'chicago') return withDay(item);
  if (!isIssuedByAuthor(item)) return item;
  // An institution that publishes its own work is named once: APA keeps the author, MLA the publisher.
  const { author, publisher, 'container-title': container, ...rest } = item;
  if (style === 'apa') return author ? { ...rest, author } : rest;
  return {
    ...rest,
    ...(publisher !== undefined && { publisher }),
    ...(container !== undefined && { 'container-title': container }),
  };
}

/** The text on one line, without control characters and broken surrogates. */
export function toOneLine(text: string): string {
  return text
    .replace(/\p{Cs}/gu, '\u{FFFD}')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** Hides what the style would take for markup. */
export function escapeMarkup(item: CslItem): CslItem {
  const hide = (text: string) => text.replaceAll('<', LESS_THAN);
  const house = item['container-title'];
  return {
    ...item,
    title: hide(item.title),
    ...(item.author && { author: item.author.map((name) => hideName(name, hide)) }),
    ...(house !== undefined && { 'container-title': hide(house) }),
    ...(item.publisher !== undefined && { publisher: hide(item.publisher) }),
  };
}

/** Puts back what was hidden. */
export function restoreMarkup(text: string): string {
  return text.replaceAll(LESS_THAN, '<');
}

function hideName(name: CslName, hide: (text: string) => string): CslName {
  if ('literal' in name) return { literal: hide(name.literal) };
  return { ...name, family: hide(name.family), ...(name.given !== undefined && { given: hide(name.given) }) };
}

function withDay(item: CslItem): CslItem {
  const hasMonth = (item.issued?.['date-parts'][0].length ?? 0) > 1;
  return item.issued && hasMonth && DATED.includes(item.type) ? { ...item, submitted: item.issued } : item;
}

function isIssuedByAuthor(item: CslItem): boolean {
  const [only, ...others] = item.author ?? [];
  const house = item['container-title'] ?? item.publisher;
  if (only === undefined || others.length > 0 || house === undefined || !('literal' in only)) return false;
  return only.literal.toLowerCase() === house.toLowerCase();
}

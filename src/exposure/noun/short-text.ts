/** What servers wrote, cleaned and cut to few words. */
import { ARTICLES, FILLERS, PREPOSITIONS, SAME_AS } from './vocabulary.ts';
import { toSingular, toWords } from './words.ts';

/** The beginning of a text on one line: whole sentences as far as they fit, else words. */
export function toShortText(text: string, limit: number): string {
  const line = toLine(text, limit);
  if (line.length <= limit) return withoutStop(line);
  const end = toSentenceEnd(line, limit);
  if (end > 0) return withoutStop(line.slice(0, end));
  const cut = line.slice(0, limit - 1);
  const space = cut.lastIndexOf(' ');
  return `${cut.slice(0, space > limit / 2 ? space : cut.length).replace(/[\s,;:.(-]+$/, '')}…`;
}

/** What servers wrote stays on its line; of long texts only what can be shown is looked at. */
function toLine(text: string, limit: number): string {
  const start = text.slice(0, limit * 2);
  return ODD.test(start) ? start.replace(/[\s\p{C}]+/gu, ' ').trim() : start.trim();
}

const ODD = /[^ -~]| {2}/;

/** Where the last sentence ends that fits; zero when none does. */
function toSentenceEnd(line: string, limit: number): number {
  for (let at = line.lastIndexOf('. ', limit - 1); at > 0; at = line.lastIndexOf('. ', at - 1)) {
    if (!/\b(?:e\.g|i\.e|etc|vs|no|\w)$/i.test(line.slice(Math.max(0, at - 4), at))) return at + 1;
  }
  return 0;
}

/** The first paragraph of a text, as far as it fits: a line that begins anew says something else. */
export function toOpening(text: string, limit: number): string {
  const [opening = ''] = text
    .slice(0, limit * 2)
    .replace(/^[\s\p{C}#*-]+/u, '')
    .split(/\n\s*(?=[\n\p{Lu}\p{N}#*<-])/u, 1);
  return toShortText(opening, limit);
}

function withoutStop(text: string): string {
  return /[^.]\.$/.test(text) ? text.slice(0, -1) : text;
}

/** The words all texts begin with, when those are a good part of the shortest; else nothing. */
export function toCommonBeginning(texts: readonly string[]): string {
  const [first = [], ...others] = texts.map((text) => text.split(' '));
  let length = first.findIndex((word, at) => others.some((words) => words[at] !== word));
  if (length === -1) length = first.length;
  while (length > 0 && (PREPOSITIONS.has(first[length - 1] ?? '') || ARTICLES.has(first[length - 1] ?? '')))
    length -= 1;
  const shortest = Math.min(...texts.map((text) => text.split(' ').length));
  return length >= MIN_COMMON && length * 2 >= shortest ? first.slice(0, length).join(' ') : '';
}

/** Fewer words in common say too little. */
const MIN_COMMON = 2;

/** True when a text says nothing that the words of a name do not. */
export function repeats(text: string, name: string): boolean {
  return !tells(text, () => toWords(name), 1);
}

/** Texts longer than this always say something of their own. */
const MAX_REPETITION = 60;

/** True when so many words of a text tell something these words do not. */
export function tells(text: string, names: () => readonly string[], count: number): boolean {
  if (text.length > MAX_REPETITION) return true;
  const known = names();
  const roots = known.map(toRoot);
  const told = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    if (FILLERS.has(word) || roots.includes(toRoot(word))) continue;
    if (known.some((verb) => SAME_AS.has(`${verb} ${word}`) || SAME_AS.has(`${verb} ${toSingular(word)}`)))
      continue;
    told.add(word);
    if (told.size >= count) return true;
  }
  return false;
}

/** Enough of a word to know it by, whatever its ending. */
function toRoot(word: string): string {
  const singular = toSingular(word);
  return singular.length > 5 ? singular.replace(/(ing|ed|er|or|ion|e)$/, '') : singular;
}

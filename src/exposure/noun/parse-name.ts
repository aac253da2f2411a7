/** Reads verb and noun from the name of a tool, with what the names of its server have in common left out. */
import { AMOUNTS, ARTICLES, JOINTS, LOOSE_VERBS, PLAIN_VERBS, PREPOSITIONS, WHICH } from './vocabulary.ts';
import { toSingular, toWords } from './words.ts';

/** A name taken apart. */
export interface ParsedName {
  readonly name: string;
  /** What is done, before and around the noun, such as `get` and `by id`. */
  readonly verb: readonly string[];
  /** What it is done to, as written. */
  readonly noun: readonly string[];
  /** The same in the singular. */
  readonly key: readonly string[];
  /** What follows the noun. */
  readonly tail: readonly string[];
  /** The words most names of the server share at one end; empty when this one does not have them. */
  readonly shared: readonly string[];
  /** All words but those. */
  readonly words: readonly string[];
}

/** At least so many of a server's names have to share their beginning for it to be left out. */
const SHARED_BEGINNING = 0.6;
const SHARED_ENDING = 0.9;
const MIN_SHARING = 3;

/** Takes the names of one server apart; the outcome follows from the set of names. */
export function parseNames(names: readonly string[]): ParsedName[] {
  const split = names.map((name) => ({ name, words: toWords(name) }));
  const all = split.map(({ words }) => words);
  const prefix = toSharedPrefix(all);
  const suffix = toSharedSuffix(all);
  return split.map(({ name, words }) => {
    const leads = prefix.length > 0 && words.length > prefix.length && startsWith(words, prefix);
    const body = leads ? words.slice(prefix.length) : words;
    const trails = suffix.length > 0 && body.length > 1 && body.at(-1) === suffix[0];
    const rest = trails ? body.slice(0, -1) : body;
    return { name, ...parseWords(rest), shared: leads ? prefix : trails ? suffix : [], words: rest };
  });
}

/** True when the first words of a list are these. */
export function startsWith(words: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length <= words.length && prefix.every((word, at) => words[at] === word);
}

function isVerb(word: string | undefined): boolean {
  return word !== undefined && (PLAIN_VERBS.has(word) || LOOSE_VERBS.has(word));
}

/** The words most names begin with; a verb is never one of them, since it tells the names apart. */
function toSharedPrefix(all: readonly (readonly string[])[]): readonly string[] {
  const prefix: string[] = [];
  for (;;) {
    const following = all.filter((words) => words.length > prefix.length + 1 && startsWith(words, prefix));
    const next = toMostCommon(following.map((words) => words[prefix.length]));
    if (!next || next.count < Math.max(MIN_SHARING, all.length * SHARED_BEGINNING) || isVerb(next.word))
      return prefix;
    prefix.push(next.word);
  }
}

/** The word nearly all names end with, such as `tool`. */
function toSharedSuffix(all: readonly (readonly string[])[]): readonly string[] {
  const last = toMostCommon(all.map((words) => words.at(-1)));
  const isShared = last && last.count >= Math.max(MIN_SHARING, all.length * SHARED_ENDING);
  return isShared && !isVerb(last.word) ? [last.word] : [];
}

function toMostCommon(words: readonly (string | undefined)[]): { word: string; count: number } | undefined {
  const counts = new Map<string, number>();
  for (const word of words) if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1);
  const [best] = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return best && { word: best[0], count: best[1] };
}

type Parts = Pick<ParsedName, 'verb' | 'noun' | 'key' | 'tail'>;

function parseWords(words: readonly string[]): Parts {
  const amounts = words.findIndex((word) => !AMOUNTS.has(word));
  const start = amounts > 0 && isVerb(words[amounts]) ? amounts : 0;
  if (isVerb(words[start])) return parseVerbFirst(words, start);
  const verbAt = findVerb(words);
  if (verbAt > 0)
    return toParts(words.slice(verbAt, verbAt + 1), words.slice(0, verbAt), words.slice(verbAt + 1));
  return toParts([], words, []);
}

function parseVerbFirst(words: readonly string[], start: number): Parts {
  let at = start + 1;
  while (at < words.length - 1 && (JOINTS.has(words[at] ?? '') || JOINTS.has(words[at - 1] ?? ''))) at += 1;
  while (at < words.length && WHICH.has(words[at] ?? '')) at += 1;
  const end = words.findIndex((word, index) => index >= at && PREPOSITIONS.has(word));
  const noun = words.slice(at, end === -1 ? words.length : end);
  return toParts(words.slice(0, at), noun, end === -1 ? [] : words.slice(end));
}

/** Where the verb stands in a name that begins with its noun; words that may be either count only at the end. */
function findVerb(words: readonly string[]): number {
  const inside = words.findIndex((word, at) => at > 0 && PLAIN_VERBS.has(word) && !LOOSE_VERBS.has(word));
  if (inside > 0) return inside;
  const loose = words.findIndex((word, at) => at > 0 && word === 'list');
  if (loose > 0) return loose;
  return words.length > 1 && isVerb(words.at(-1)) ? words.length - 1 : -1;
}

function toParts(verb: readonly string[], noun: readonly string[], tail: readonly string[]): Parts {
  return { verb: verb.filter((word) => !ARTICLES.has(word)), noun, key: noun.map(toSingular), tail };
}

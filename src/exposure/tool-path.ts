/** Understands how a model writes a tool's path: `server:tool` and the spellings near it; never guesses between two. */
import type { Entry } from '../catalog/catalog.ts';
import { nearest } from '../lib/nearest.ts';
import type { CatalogView, EntryNames } from '../policy/policy.ts';
import { ANSWER_NAMES_LIMIT, toShortList } from './words.ts';

/** What a path turned out to mean. */
export type PathMeaning =
  | { readonly kind: 'one'; readonly entry: Entry }
  | { readonly kind: 'several'; readonly entries: readonly Entry[] }
  | { readonly kind: 'none' };

const SEPARATORS: readonly string[] = [':', '__', '/', '.', '-', '_'];

/** Finds the tool a path names among those that can be seen. */
export function findByPath(path: string, view: EntryNames, namespace: string): PathMeaning {
  const exact = locate(path, path.indexOf(':'), 1, view);
  if (exact) return { kind: 'one', entry: exact };
  for (const text of spellings(path, namespace)) {
    const entries = [
      ...new Set([...splits(text, view), ...view.named('tool', text), ...published(text, view)]),
    ];
    const [entry, second] = entries;
    if (entry) return second ? { kind: 'several', entries } : { kind: 'one', entry };
  }
  return { kind: 'none' };
}

/** How we print a tool's path. */
export function toPath({ upstream, name }: Entry): string {
  return `${upstream}:${name}`;
}

/** Asks which of several tools a text names. */
export function sayWhich(text: string, entries: readonly Entry[]): string {
  return `"${text.slice(0, 100)}" could be ${toShortList(entries.map(toPath), ANSWER_NAMES_LIMIT, ' or ')}; say which`;
}

/** The paths closest to a wrong one. */
export function nearestPaths(path: string, view: CatalogView, limit = 3): string[] {
  const paths = view.list('tool').map(toPath);
  const byPath = nearest(path, paths, limit);
  if (byPath.length > 0) return byPath;
  const bare = path.slice(path.lastIndexOf(':') + 1);
  const names = new Map(view.list('tool').map((entry) => [entry.name, toPath(entry)]));
  return nearest(bare, names.keys(), limit).map((name) => names.get(name) ?? name);
}

/** Longer than any path; what follows is no part of one. */
const MAX_PATH = 256;

/** As written but for quotes and brackets models add, then without the prefixes clients and the gateway put in front. */
function* spellings(path: string, namespace: string): Generator<string> {
  const text = path
    .slice(0, MAX_PATH)
    .trim()
    .replace(/^[`'"]+|[`'"]+$/g, '')
    .replace(/\(\)$/, '')
    .replace(/\s*:\s*/, ':');
  const texts = [text];
  for (const prefix of [`${namespace}_`, `mcp__${namespace}__`]) {
    if (text.startsWith(prefix)) texts.push(text.slice(prefix.length));
  }
  yield* texts;
  // The prefix may stand before the tool as well: `memory:<ns>_store_memory`.
  for (const each of texts) {
    for (const separator of [':', '__', '/', '.']) {
      const inner = `${separator}${namespace}_`;
      if (each.includes(inner)) yield each.replace(inner, () => separator);
    }
  }
}

/** Every way to cut the text into a server that exists and a tool it has. */
function splits(text: string, view: EntryNames): Entry[] {
  const found: Entry[] = [];
  for (const separator of SEPARATORS) {
    for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, at + 1)) {
      const entry = locate(text, at, separator.length, view);
      if (entry) found.push(entry);
    }
  }
  return found;
}

function locate(text: string, at: number, width: number, view: EntryNames): Entry | undefined {
  if (at <= 0) return undefined;
  return view.locate('tool', text.slice(0, at), text.slice(at + width));
}

function published(text: string, view: EntryNames): Entry[] {
  const entry = view.find('tool', text);
  return entry ? [entry] : [];
}

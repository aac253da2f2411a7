/** `<ns>_discover`: categories with counts, the actions of one, the schema of one action. */
import type { Entry } from '../../catalog/catalog.ts';
import { didYouMean } from '../../lib/nearest.ts';
import type { JsonObject } from '../../model/json.ts';
import type { CatalogView } from '../../policy/policy.ts';
import { toFault, toText } from '../answers.ts';
import { toOwnName, withoutPrefix } from '../own-names.ts';
import { toSignature } from '../signature.ts';
import { sayUnmet, toTrouble } from '../standing-text.ts';
import { toPath } from '../tool-path.ts';
import {
  ANSWER_LINES_LIMIT,
  ANSWER_NAMES_LIMIT,
  firstSentence,
  type NamedLine,
  toShortLines,
  toShortList,
} from '../words.ts';
import { findAction, sayNoAction } from './actions.ts';
import { fromCategoryWord, toCategoryWord } from './category-name.ts';
import { DISCOVER, TOOLS } from './definitions.ts';

/** More actions than this are told by name only, and more servers' than this by count only. */
const MAX_DETAILED = 60;
const MAX_LISTED = 300;
const WORDS_LIMIT = 90;
/** One server's actions are all named: what is not named cannot be called. */
const ACTIONS_LIMIT = 40_000;

/** What an answer is made from. */
export interface DiscoverParts {
  readonly namespace: string;
  readonly view: CatalogView;
  /** The upstreams that share `<ns>_tools`. */
  readonly folded: readonly string[];
}

/** Answers one question. */
export function discover(args: JsonObject, parts: DiscoverParts): JsonObject {
  const { category, action } = args;
  if (category !== undefined && typeof category !== 'string')
    return toFault('category has to be one of the names that a call without arguments lists');
  if (action !== undefined && typeof action !== 'string')
    return toFault('action has to be the name of an action');
  if (category === undefined && action === undefined) return toText(listCategories(parts));
  if (category === undefined) return showAction(String(action), undefined, parts);
  const servers = findServers(category, parts);
  if (typeof servers === 'string') return toFault(servers);
  if (action !== undefined) return showAction(action, servers, parts);
  return toText(servers.kind === 'one' ? listOne(servers.ids, parts) : listShared(parts));
}

function listCategories({ view, folded, namespace }: DiscoverParts): string {
  const counts = countTools(view);
  const lines = [...counts]
    .filter(([id]) => !folded.includes(id))
    .map(([id, count]) => toCountLine(toCategoryWord(id), id, count, view));
  const outside = folded.reduce((sum, id) => sum + (counts.get(id) ?? 0), 0);
  const shared =
    folded.length === 0
      ? `${TOOLS}: no other servers`
      : `${TOOLS}: ${toCount(outside)} of ${toShortList(folded, ANSWER_NAMES_LIMIT)}`;
  const silent = view
    .unmet()
    .map((unmet) => ({ name: unmet.upstream, line: sayUnmet(unmet, view, 'actions') }));
  const way = `${toOwnName(namespace, DISCOVER)} with a category lists its actions`;
  return [
    ...toShortLines(lines, ANSWER_LINES_LIMIT),
    shared,
    ...toShortLines(silent, ANSWER_LINES_LIMIT),
    way,
  ].join('\n');
}

/** In one walk, in the order of the list. */
function countTools(view: CatalogView): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { upstream } of view.list('tool')) counts.set(upstream, (counts.get(upstream) ?? 0) + 1);
  return counts;
}

const toCount = (count: number) => `${count} action${count === 1 ? '' : 's'}`;

function toCountLine(name: string, id: string, count: number, view: CatalogView): NamedLine {
  return { name, line: `${name}: ${toCount(count)}${toTrouble(id, view)}` };
}

/** The servers a category stands for. */
interface Meant {
  readonly kind: 'one' | 'shared';
  readonly ids: readonly string[];
}

/** Finds them by the category's word or the server's id, or says what is wrong. */
function findServers(category: string, { view, folded, namespace }: DiscoverParts): Meant | string {
  const words = [category, withoutPrefix(category, namespace)].filter((word) => word !== undefined);
  if (words.includes(TOOLS)) return { kind: 'shared', ids: folded };
  const ids = [...countTools(view).keys()];
  const wanted = words.flatMap((word) => [fromCategoryWord(word), word]);
  const id = ids.find((known) => wanted.includes(known));
  if (id !== undefined) return { kind: 'one', ids: [id] };
  const silent = view.unmet().find(({ upstream }) => wanted.includes(upstream));
  if (silent) return sayUnmet(silent, view, 'actions');
  const known = [...ids.map(toCategoryWord), TOOLS];
  const hint = didYouMean(words.at(-1) ?? category, known);
  return `no category is called "${category.slice(0, 100)}"${hint}; there are ${toShortList(known, ANSWER_NAMES_LIMIT)}`;
}

function listOne([id = '']: readonly string[], { view }: DiscoverParts): string {
  const entries = view.toolsOf(id);
  const trouble = toTrouble(id, view);
  return [
    ...toLines(entries, entries.length <= MAX_DETAILED),
    ...(trouble === '' ? [] : [`${id}${trouble}`]),
  ].join('\n');
}

/** What shares one tool, by server. */
function listShared({ view, folded }: DiscoverParts): string {
  const entries = view.list('tool').filter(({ upstream }) => folded.includes(upstream));
  if (entries.length === 0) return 'there are no other servers';
  if (entries.length > MAX_LISTED) {
    const counts = countTools(view);
    const lines = folded.map((id) => toCountLine(id, id, counts.get(id) ?? 0, view));
    return [...toShortLines(lines, ANSWER_LINES_LIMIT), 'one of these as category lists its actions'].join(
      '\n',
    );
  }
  return folded
    .flatMap((id) => {
      const own = view.toolsOf(id);
      const lines = toLines(own, entries.length <= MAX_DETAILED);
      return [`${id}:${toTrouble(id, view)}`, ...lines.map((line) => `  ${line}`)];
    })
    .join('\n');
}

function toLines(entries: readonly Entry[], detailed: boolean): string[] {
  if (detailed) return entries.map(toLine);
  return [
    toShortList(
      entries.map(({ name }) => name),
      ACTIONS_LIMIT,
    ),
  ];
}

function toLine({ name, definition }: Entry): string {
  const words = firstSentence(String(definition['description'] ?? definition['title'] ?? ''), WORDS_LIMIT);
  const { text, complete } = toSignature(definition);
  return [`${name}${text}`, words, complete ? '' : '[ask for its schema]']
    .filter((part) => part !== '')
    .join(' ');
}

function showAction(
  action: string,
  servers: Meant | undefined,
  { view, namespace }: DiscoverParts,
): JsonObject {
  const found = findAction(action, servers?.ids, view, namespace);
  if (found.kind !== 'one') return toFault(sayNoAction(action, found, servers?.ids, view, namespace));
  const { description, inputSchema, outputSchema, annotations } = found.entry.definition;
  const { name } = found.entry;
  const shown = { name, description, inputSchema, outputSchema, annotations };
  return toText(`${toPath(found.entry)} ${JSON.stringify(shown)}`);
}

/** Which servers of a registry are meant by some words, the likeliest first. */
import { nearest } from '../../../../lib/nearest.ts';
import { type RegistryServer, toShortName } from './server-json.ts';

/** A server and how well it fits. */
export interface Ranked {
  readonly server: RegistryServer;
  readonly score: number;
}

const EXACT = 1_000;
const SHORT_NAME = 900;
const BARE_NAME = 850;
const TITLE = 800;
const NAME_START = 400;
const NAME_PART = 300;
const PACKAGE_PART = 120;
const TYPO = 150;
const WORD_IN_NAME = 80;
const WORD_IN_TITLE = 50;
const WORD_IN_TEXT = 20;

/** Ranks servers by name, then words of their descriptions, then near spellings; what does not fit is left out. */
export function rankServers(query: string, servers: readonly RegistryServer[]): readonly Ranked[] {
  const wanted = query.trim().toLowerCase();
  const words = toWords(query);
  const unique = new Map(servers.map((server) => [server.name, server]));
  const ranked = [...unique.values()]
    .filter(({ status }) => status !== 'deleted')
    .map((server) => ({ server, score: toScore(server, wanted, words) }))
    .filter(({ score }) => score > 0);
  return ranked.sort((a, b) => b.score - a.score || (a.server.name < b.server.name ? -1 : 1));
}

/** Those a name can only mean: by its full name, by its package, or by the last part of its name. */
export function matchName(word: string, servers: readonly RegistryServer[]): readonly RegistryServer[] {
  const wanted = word.trim().toLowerCase();
  const known = [...new Map(servers.map((server) => [server.name, server])).values()].filter(
    ({ status }) => status !== 'deleted',
  );
  const tests: readonly ((server: RegistryServer) => boolean)[] = [
    ({ name }) => name.toLowerCase() === wanted,
    ({ packages }) => packages.some(({ identifier }) => identifier.toLowerCase() === wanted),
    // Together: whoever took the shortest name is not the one that is meant by it.
    ({ name }) => toShortName(name).toLowerCase() === wanted || toBareName(name) === toBare(wanted),
  ];
  for (const test of tests) {
    const found = known.filter(test);
    if (found.length > 0) return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
  return [];
}

/** The words of a question, without those that every server has. */
export function toWords(text: string): readonly string[] {
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && !COMMON.has(word));
  return [...new Set(words)].slice(0, 8);
}

const COMMON: ReadonlySet<string> = new Set([
  'mcp',
  'server',
  'the',
  'for',
  'and',
  'an',
  'of',
  'to',
  'with',
  'io',
  'com',
]);

function toScore(server: RegistryServer, wanted: string, words: readonly string[]): number {
  const name = server.name.toLowerCase();
  const short = toShortName(name);
  const title = server.title?.toLowerCase() ?? '';
  const whole = toWhole(server, wanted);
  const described = toWords(server.description);
  const each = words.map((word) => {
    if (toParts(name).includes(word)) return WORD_IN_NAME;
    if (toWords(title).includes(word)) return WORD_IN_TITLE;
    if (described.some((known) => known === word || isPlural(known, word))) return WORD_IN_TEXT;
    return 0;
  });
  const sum = each.reduce<number>((total, score) => total + score, 0);
  const typo = whole + sum === 0 && isNear(wanted, words, short) ? TYPO : 0;
  const found = whole + sum + typo;
  return found > 0 && server.status === 'deprecated' ? found / 2 : found;
}

function toWhole({ name: given, title, packages }: RegistryServer, wanted: string): number {
  const name = given.toLowerCase();
  const short = toShortName(name);
  if (wanted === '') return 1;
  if (name === wanted) return EXACT;
  if (short === wanted) return SHORT_NAME;
  if (toBareName(name) === toBare(wanted)) return BARE_NAME;
  if (title?.toLowerCase() === wanted) return TITLE;
  if (short.startsWith(wanted)) return NAME_START;
  if (name.includes(wanted)) return NAME_PART;
  return packages.some(({ identifier }) => identifier.toLowerCase().includes(wanted)) ? PACKAGE_PART : 0;
}

function isNear(wanted: string, words: readonly string[], short: string): boolean {
  const parts = [short, toBare(short), ...toParts(short)].filter((part) => part.length > 3);
  return [wanted, ...words].some((word) => word.length > 3 && nearest(word, parts).length > 0);
}

function toBareName(name: string): string {
  return toBare(toShortName(name.toLowerCase()));
}

/** A name without the words that say no more than that it is a server. */
function toBare(name: string): string {
  const bare = name.replace(/^(mcp[-_])?(server[-_])?|([-_]mcp)?([-_]server)?([-_]mcp)?$/g, '');
  return bare || name;
}

function toParts(name: string): readonly string[] {
  return name.split(/[^a-z0-9]+/).filter((part) => part !== '');
}

function isPlural(a: string, b: string): boolean {
  return `${a}s` === b || a === `${b}s`;
}

/** Takes names apart into words, and words to their singular. */

/** The words of a name in lower case: `listPullRequests`, `list-pull-requests` and `list.pull_requests` are the same three. */
export function toWords(name: string): string[] {
  return name
    .slice(0, MAX_NAME)
    .replaceAll('OAuth', 'Oauth')
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((chunk) => (HAS_ONE_CASE.test(chunk) ? [chunk] : (chunk.match(HUMPS) ?? [])))
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '');
}

/** Names longer than this are told apart by their beginning. */
const MAX_NAME = 200;
const HAS_ONE_CASE = /^[\p{Ll}\p{N}]+$|^[\p{Lu}\p{N}]+$/u;
const HUMPS = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?\p{Ll}+\p{N}*|\p{N}+|\p{L}+/gu;

const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['children', 'child'],
  ['people', 'person'],
  ['indices', 'index'],
  ['vertices', 'vertex'],
  ['matrices', 'matrix'],
  ['criteria', 'criterion'],
  ['analyses', 'analysis'],
  ['movies', 'movie'],
  ['cookies', 'cookie'],
  ['aliases', 'alias'],
  ['databases', 'database'],
  ['cases', 'case'],
  ['releases', 'release'],
  ['responses', 'response'],
]);

/** Words that end like a plural and are none. */
const SINGULAR: ReadonlySet<string> = new Set(
  'aws sms dns ios gps ms os js ts tls https news series species analytics kubernetes redis always alias bias atlas canvas gas sales status this us sys'.split(
    ' ',
  ),
);

/** A noun's singular, as far as its ending tells. */
export function toSingular(word: string): string {
  const known = IRREGULAR.get(word);
  if (known !== undefined) return known;
  if (word.length < 3 || !word.endsWith('s') || SINGULAR.has(word) || /(ss|us|is)$/.test(word)) return word;
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(s|x|z|ch|sh)es$/.test(word))
    return /[aeiou]ses$/.test(word) && !word.endsWith('uses') ? word.slice(0, -1) : word.slice(0, -2);
  return word.slice(0, -1);
}

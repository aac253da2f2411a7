/** Finds the tool a query names outright: by path in any of its spellings, or by its bare name. */
import type { LexicalIndex } from '../lexical/lexical-index.ts';

/** What an exact name adds; far above anything words can reach. */
const EXACT_PATH = 20;

/** What an exact bare name adds. */
const EXACT_NAME = 10;

const MAX_LENGTH = 300;
/** By how much folding may shorten a name. */
const MAX_DRIFT = 4;

/** Bonuses by document number for those whose path or name is the whole query. */
export function findExact(index: LexicalIndex, query: string): Map<number, number> {
  const found = new Map<number, number>();
  const wanted = query.trim();
  if (wanted.length === 0 || wanted.length > MAX_LENGTH) return found;
  const folded = fold(wanted);
  if (folded.replaceAll('_', '') === '') return found;
  const last = folded.at(-1) ?? '';
  index.sources.forEach(({ name, server }, document) => {
    // Length and last letter rule out nearly all, far cheaper than a table of every spelling.
    const couldBeName = Math.abs(name.length - folded.length) <= MAX_DRIFT;
    const couldBePath = Math.abs(name.length + server.id.length + 1 - folded.length) <= MAX_DRIFT;
    if (!(couldBeName || couldBePath) || !mayEndWith(name, last)) return;
    if (couldBePath && fold(`${server.id}_${name}`) === folded) found.set(document, EXACT_PATH);
    else if (couldBeName && fold(name) === folded)
      found.set(document, name === wanted ? EXACT_NAME + 1 : EXACT_NAME);
  });
  return found;
}

function mayEndWith(name: string, last: string): boolean {
  const end = (name.at(-1) ?? '').toLowerCase();
  return end === last || !((end >= 'a' && end <= 'z') || (end >= '0' && end <= '9'));
}

/** One spelling for all: lower case, every run of separators an underscore. */
function fold(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_');
}

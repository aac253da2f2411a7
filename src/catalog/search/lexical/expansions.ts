/** Which terms of the index a word of the query may stand for: itself, words for the same thing, or what it misspells. */
import { editDistance } from '../../../lib/nearest.ts';
import { frequencyOf, type LexicalIndex } from './lexical-index.ts';

/** A term that answers for a word of the query, and how fully. */
export interface Expansion {
  readonly term: number;
  readonly factor: number;
  readonly exact: boolean;
}

/** What decides over expansions. */
export interface ExpansionRules {
  readonly synonyms: ReadonlyMap<string, readonly string[]>;
  readonly synonym: number;
  readonly typo: number;
  /** True for a correctly spelled word. */
  isWord(stem: string): boolean;
}

const MAX_CORRECTIONS = 3;
const MAX_CORRECTED_WORDS = 4;
const MIN_TYPO_LENGTH = 4;
const MIN_DOUBLE_TYPO_LENGTH = 8;

/** The expansions of every word of a query, in order. */
export function expandTerms(
  index: LexicalIndex,
  terms: readonly string[],
  rules: ExpansionRules,
): (readonly Expansion[])[] {
  let corrected = 0;
  return terms.map((term) => {
    const found = toKnown(index, term, rules);
    // Fuzzy matching beside good matches costs far more than it gives; a word that stands nowhere has nothing to lose.
    if (found.length > 0 || term.length < MIN_TYPO_LENGTH || rules.isWord(term)) return found;
    if (corrected++ >= MAX_CORRECTED_WORDS) return found;
    return correct(index, term, rules.typo);
  });
}

function toKnown(index: LexicalIndex, term: string, rules: ExpansionRules): Expansion[] {
  const found: Expansion[] = [];
  const add = (stem: string, factor: number, exact: boolean) => {
    const number = index.table.find(stem);
    if (number !== undefined && frequencyOf(index, number) > 0) found.push({ term: number, factor, exact });
  };
  add(term, 1, true);
  for (const other of rules.synonyms.get(term) ?? []) add(other, rules.synonym, false);
  return found;
}

/** The nearest spellings in the index; a first letter is seldom wrong, so only terms that share it are looked at. */
function correct(index: LexicalIndex, word: string, factor: number): Expansion[] {
  const allowed = word.length >= MIN_DOUBLE_TYPO_LENGTH ? 2 : 1;
  const near: { term: number; text: string; edits: number }[] = [];
  const terms = index.starts.length - 1;
  for (let term = 0; term < terms; term++) {
    const text = index.table.termAt(term);
    if (text.charCodeAt(0) !== word.charCodeAt(0) || frequencyOf(index, term) === 0) continue;
    const edits = text.startsWith(word) ? 1 : editDistance(word, text, allowed);
    if (edits <= allowed) near.push({ term, text, edits });
  }
  near.sort((a, b) => a.edits - b.edits || (a.text < b.text ? -1 : 1));
  return near
    .slice(0, MAX_CORRECTIONS)
    .map(({ term, edits }) => ({ term, factor: factor ** edits, exact: false }));
}

/** First look over the whole index: which documents are worth a second one. */
import type { LexicalIndex } from '../lexical/lexical-index.ts';
import { likeness, type Meaning } from '../semantic/meaning.ts';
import type { RankingWeights } from '../weights.ts';
import type { Question } from './question.ts';
import { Top } from './top.ts';

/** How many documents get the second look. */
const CANDIDATES = 250;
/** Likeness below this is chance, not meaning. */
const MIN_LIKENESS = 0.3;

/** What a first look needs. */
export interface GatherInput {
  readonly index: LexicalIndex;
  readonly question: Question;
  readonly meaning: Meaning | undefined;
  readonly weights: RankingWeights;
  /** What documents bring along whatever their words: exact names, what was learned. */
  readonly extras: ReadonlyMap<number, number>;
  isAllowed(document: number): boolean;
}

/** The most promising documents, by number. */
export function gatherCandidates(input: GatherInput): number[] {
  const { index, question, meaning, weights, extras } = input;
  const scores = sumWords(index, question);
  const vector = meaning ? question.vector : undefined;
  const meaningWeight = weights.meaning + weights.clauseMeaning;
  const top = new Top(CANDIDATES);
  for (let document = 0; document < scores.length; document++) {
    let score = (scores[document] ?? 0) / question.total;
    if (vector && meaning) {
      const alike = likeness(meaning, document, vector);
      if (score > 0 || alike > MIN_LIKENESS) score += meaningWeight * alike;
    }
    if (extras.size > 0) score += extras.get(document) ?? 0;
    if (score > 0 && top.wants(score, document) && input.isAllowed(document)) top.offer(score, document);
  }
  return top.toSorted();
}

/** For every document the sum over words of the best expansion found in it. */
function sumWords(index: LexicalIndex, question: Question): Float32Array {
  const { starts, documents, impacts, rarity } = index;
  const size = index.sources.length;
  const scores = new Float32Array(size);
  const best = new Float32Array(size);
  for (const { repeat, expansions } of question.terms) {
    const own = expansions[0];
    if (!own) continue;
    const cap = own.exact ? (rarity[own.term] ?? 0) : Number.POSITIVE_INFINITY;
    for (const { term, factor } of expansions) {
      const weight = factor * repeat * Math.min(rarity[term] ?? 0, cap);
      const end = starts[term + 1] ?? 0;
      for (let at = starts[term] ?? 0; at < end; at++) {
        const document = documents[at] ?? 0;
        const gain = weight * (impacts[at] ?? 0);
        const before = best[document] ?? 0;
        // Scores hold the sum of `best`, so only what is gained over it is added.
        if (gain > before) {
          scores[document] = (scores[document] ?? 0) + gain - before;
          best[document] = gain;
        }
      }
    }
    forget(best, index, expansions);
  }
  return scores;
}

function forget(best: Float32Array, index: LexicalIndex, expansions: readonly { term: number }[]): void {
  for (const { term } of expansions) {
    const end = index.starts[term + 1] ?? 0;
    for (let at = index.starts[term] ?? 0; at < end; at++) best[index.documents[at] ?? 0] = 0;
  }
}

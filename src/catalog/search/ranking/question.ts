/** A query against one index: its words with their weight and expansions, and its meaning. */
import type { Expansion } from '../lexical/expansions.ts';
import type { LexicalIndex } from '../lexical/lexical-index.ts';
import { addTerm, type Meaning, toPacked, toUnit } from '../semantic/meaning.ts';
import type { ParsedQuery } from '../text/query.ts';
import type { RankingWeights } from '../weights.ts';

/** One word of the query. */
export interface QuestionTerm {
  /** What the word counts for repetition. */
  readonly repeat: number;
  /** The most a document can gain by it. */
  readonly worth: number;
  readonly expansions: readonly Expansion[];
}

/** A query, weighed. */
export interface Question {
  readonly terms: readonly QuestionTerm[];
  /** The sum of what all words are worth. */
  readonly total: number;
  readonly segments: readonly (readonly number[])[];
  readonly segmentTotals: readonly number[];
  /** Packed vectors of the whole and of every segment; undefined where nothing is known. */
  readonly vector: Int8Array | undefined;
  readonly segmentVectors: readonly (Int8Array | undefined)[];
}

const MAX_MEANING_RARITY = 6;

/** Weighs a query. */
export function toQuestion(
  parsed: ParsedQuery,
  expansions: readonly (readonly Expansion[])[],
  index: LexicalIndex,
  meaning: Meaning | undefined,
  weights: RankingWeights,
): Question {
  const rarest = Math.log(1 + (index.sources.length + 0.5) / 0.5);
  const rarities = expansions.map((list) => {
    const own = list[0]?.exact ? list[0] : undefined;
    return own ? (index.rarity[own.term] ?? 0) : undefined;
  });
  const terms = parsed.terms.map((_, at): QuestionTerm => {
    const repeat = (parsed.counts[at] ?? 1) ** weights.repetition;
    const worth = (rarities[at] ?? rarest * weights.unknown) * repeat;
    return { repeat, worth, expansions: expansions[at] ?? [] };
  });
  const sum = (positions: readonly number[]) =>
    positions.reduce((total, at) => total + (terms[at]?.worth ?? 0), 1e-9);
  const toVector = (positions: readonly number[]) => {
    if (!meaning) return undefined;
    const vector = new Float32Array(meaning.words.size);
    for (const at of positions) {
      const weight = Math.min(rarities[at] ?? MAX_MEANING_RARITY, MAX_MEANING_RARITY);
      addTerm(meaning, parsed.terms[at] ?? '', weight, vector);
    }
    return toUnit(vector) ? toPacked(vector) : undefined;
  };
  const all = parsed.terms.map((_, at) => at);
  return {
    terms,
    total: sum(all),
    segments: parsed.segments,
    segmentTotals: parsed.segments.map(sum),
    vector: toVector(all),
    segmentVectors: parsed.segments.map(toVector),
  };
}

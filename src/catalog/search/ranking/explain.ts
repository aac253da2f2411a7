/** Makes a hit, and says on request what its score is made of. */
import { COUNT_BITS, FIELD_COUNT, FIELDS, MAX_COUNT } from '../lexical/fields.ts';
import type { LexicalIndex } from '../lexical/lexical-index.ts';
import type { SearchExplanation, SearchField, SearchHit } from '../search.ts';
import type { Evidence } from './evidence.ts';
import type { Question } from './question.ts';

/** A candidate that made it, with everything its explanation needs. */
export interface HitInput {
  readonly index: LexicalIndex;
  readonly question: Question;
  readonly evidence: Evidence;
  readonly exact: ReadonlyMap<number, number>;
  readonly learned: ReadonlyMap<number, number>;
  /** Its place among the candidates. */
  readonly at: number;
  readonly score: number;
}

/** Creates a hit. */
export function createHit(input: HitInput): SearchHit {
  const document = input.evidence.candidates[input.at] ?? 0;
  const key = input.index.sources[document]?.key ?? '';
  return { key, score: input.score, explain: () => explain(input, document) };
}

function explain(
  { index, question, evidence, exact, learned, at }: HitInput,
  document: number,
): SearchExplanation {
  const fields = Object.fromEntries(FIELDS.map((field) => [field, 0])) as Record<SearchField, number>;
  question.terms.forEach(({ repeat, expansions }, word) => {
    const gain = evidence.gains[at * question.terms.length + word] ?? 0;
    if (gain === 0) return;
    const cap = expansions[0]?.exact ? (index.rarity[expansions[0].term] ?? 0) : Number.POSITIVE_INFINITY;
    // The posting that gave the gain is the one whose impact gives the same number again.
    for (const { term, factor } of expansions) {
      const posting = findPosting(index, term, document);
      if (posting < 0) continue;
      const tells = Math.min(index.rarity[term] ?? 0, cap);
      const given = Math.fround((factor * repeat * tells * (index.impacts[posting] ?? 0)) / question.total);
      if (given !== gain) continue;
      shareOut(fields, index, posting, document, gain);
      break;
    }
  });
  return {
    fields,
    bonuses: {
      clause: evidence.clause[at] ?? 0,
      coverage: evidence.coverage[at] ?? 0,
      nameMatch: evidence.nameMatch[at] ?? 0,
      server: evidence.server[at] ?? 0,
      meaning: evidence.meaning[at] ?? 0,
      learned: learned.get(document) ?? 0,
      exact: exact.get(document) ?? 0,
    },
  };
}

function findPosting(index: LexicalIndex, term: number, document: number): number {
  const end = index.starts[term + 1] ?? 0;
  for (let at = index.starts[term] ?? 0; at < end; at++) if (index.documents[at] === document) return at;
  return -1;
}

/** Gives every field its part of a gain, by what its counts are worth. */
function shareOut(
  fields: Record<SearchField, number>,
  index: LexicalIndex,
  posting: number,
  document: number,
  gain: number,
): void {
  const packed = index.counts[posting] ?? 0;
  const parts = FIELDS.map(
    (_, field) =>
      ((packed >>> (field * COUNT_BITS)) & MAX_COUNT) * (index.worth[document * FIELD_COUNT + field] ?? 0),
  );
  const total = parts.reduce((sum, part) => sum + part, 0) || 1;
  FIELDS.forEach((field, number) => {
    fields[field] += (gain * (parts[number] ?? 0)) / total;
  });
}

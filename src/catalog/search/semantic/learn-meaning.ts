/** Works out what a catalogue's words and documents mean, in small steps so that it can run behind other work. */
import { COUNT_BITS, FIELD_COUNT, MAX_COUNT } from '../lexical/fields.ts';
import type { LexicalIndex } from '../lexical/lexical-index.ts';
import type { RankingWeights } from '../weights.ts';
import { type Meaning, toPacked, toUnit } from './meaning.ts';
import type { WordVectors } from './word-vectors.ts';

/** Beyond this a rare word says no more about what a document is for. */
const MAX_RARITY = 6;
const MAX_MENTIONS = 2;
const POSTINGS_PER_STEP = 8_000;

/** Yields between steps of a few milliseconds; returns the meanings. */
export function* learnMeaning(
  index: LexicalIndex,
  words: WordVectors,
  weights: RankingWeights,
): Generator<undefined, Meaning> {
  const lesson = new Lesson(index, words, weights);
  yield* lesson.readWords();
  yield* lesson.sumDocuments();
  yield* lesson.bendWords();
  yield* lesson.sumDocuments();
  return {
    words,
    table: index.table,
    termVectors: toPacked(lesson.terms),
    documentVectors: toPacked(lesson.documents),
  };
}

class Lesson {
  readonly terms: Float32Array;
  readonly documents: Float32Array;
  readonly #index: LexicalIndex;
  readonly #words: WordVectors;
  readonly #weights: RankingWeights;
  readonly #size: number;
  readonly #known: Uint8Array;
  #work = 0;

  constructor(index: LexicalIndex, words: WordVectors, weights: RankingWeights) {
    this.#index = index;
    this.#words = words;
    this.#weights = weights;
    this.#size = words.size;
    this.terms = new Float32Array(index.rarity.length * words.size);
    this.documents = new Float32Array(index.sources.length * words.size);
    this.#known = new Uint8Array(index.rarity.length);
  }

  *readWords(): Generator<undefined, void> {
    for (let term = 0; term < this.#known.length; term++) {
      if (this.#words.read(this.#index.table.termAt(term), this.#row(this.terms, term)))
        this.#known[term] = 1;
      if (this.#isTired(4)) yield;
    }
  }

  /** A document means the sum of its words. */
  *sumDocuments(): Generator<undefined, void> {
    this.documents.fill(0);
    for (let term = 0; term < this.#known.length; term++) {
      const row = this.#row(this.terms, term);
      const rarity = Math.min(this.#index.rarity[term] ?? 0, MAX_RARITY);
      if (this.#known[term] === 0) continue;
      const end = this.#index.starts[term + 1] ?? 0;
      for (let at = this.#index.starts[term] ?? 0; at < end; at++) {
        const document = this.#row(this.documents, this.#index.documents[at] ?? 0);
        addTo(document, row, rarity * this.#strength(at));
        if (this.#isTired(1)) yield;
      }
    }
    for (let document = 0; document < this.#index.sources.length; document++)
      toUnit(this.#row(this.documents, document));
  }

  /** A word means what it means in English, bent towards what the documents around it mean here. */
  *bendWords(): Generator<undefined, void> {
    const mean = this.#meanDocument();
    const around = new Float32Array(this.#size);
    for (let term = 0; term < this.#known.length; term++) {
      around.fill(0);
      const end = this.#index.starts[term + 1] ?? 0;
      for (let at = this.#index.starts[term] ?? 0; at < end; at++) {
        const strength = this.#strength(at);
        addTo(around, this.#row(this.documents, this.#index.documents[at] ?? 0), strength);
        addTo(around, mean, -strength);
        if (this.#isTired(2)) yield;
      }
      if (toUnit(around)) this.#bend(term, around);
    }
  }

  #bend(term: number, around: Float32Array): void {
    const row = this.#row(this.terms, term);
    if (this.#known[term] === 1) {
      addTo(row, around, this.#weights.adaptation);
      toUnit(row);
    } else {
      addTo(row, around, this.#weights.invention);
      this.#known[term] = 1;
    }
  }

  #meanDocument(): Float32Array {
    const mean = new Float32Array(this.#size);
    const count = this.#index.sources.length;
    for (let document = 0; document < count; document++)
      addTo(mean, this.#row(this.documents, document), 1 / count);
    return mean;
  }

  #strength(posting: number): number {
    const packed = this.#index.counts[posting] ?? 0;
    let strength = 0;
    for (let field = 0; field < FIELD_COUNT; field++) {
      const mentions = Math.min((packed >>> (field * COUNT_BITS)) & MAX_COUNT, MAX_MENTIONS);
      strength += mentions * (this.#weights.meaningFields[field] ?? 0);
    }
    return strength;
  }

  #row(matrix: Float32Array, row: number): Float32Array {
    return matrix.subarray(row * this.#size, (row + 1) * this.#size);
  }

  #isTired(work: number): boolean {
    this.#work += work;
    if (this.#work < POSTINGS_PER_STEP) return false;
    this.#work = 0;
    return true;
  }
}

function addTo(sum: Float32Array, vector: Float32Array, weight: number): void {
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + weight * (vector[at] ?? 0);
}

/** What documents and queries mean, as directions that can be compared; small enough to keep one per tool. */
import type { TermTable } from '../lexical/term-table.ts';
import type { SearchSource } from '../search.ts';
import type { WordVectors } from './word-vectors.ts';

/** The largest value of a packed vector. */
const PACKED_UNIT = 127;

/** The meanings worked out for one catalogue. */
export interface Meaning {
  readonly words: WordVectors;
  /** Whose terms `termVectors` are numbered by. */
  readonly table: TermTable;
  /** One packed vector per term; all zero where nothing is known. */
  readonly termVectors: Int8Array;
  /** One packed vector per document; all zero where nothing is known. */
  readonly documentVectors: Int8Array;
}

/** Adds a term's vector, times `weight`, to `sum`: as this catalogue uses the word, else as the table has it. */
export function addTerm(meaning: Meaning, term: string, weight: number, sum: Float32Array): void {
  const size = meaning.words.size;
  const number = meaning.table.find(term);
  const row = number === undefined ? -1 : number * size;
  if (row >= 0 && row < meaning.termVectors.length) {
    const scale = weight / PACKED_UNIT;
    for (let at = 0; at < size; at++) sum[at] = (sum[at] ?? 0) + scale * (meaning.termVectors[row + at] ?? 0);
    return;
  }
  const vector = new Float32Array(size);
  if (!meaning.words.read(term, vector)) return;
  for (let at = 0; at < size; at++) sum[at] = (sum[at] ?? 0) + weight * (vector[at] ?? 0);
}

/** Unit vectors, one after the other, in the packed form that is kept and compared. */
export function toPacked(vectors: Float32Array): Int8Array {
  const packed = new Int8Array(vectors.length);
  for (let at = 0; at < packed.length; at++) packed[at] = Math.round((vectors[at] ?? 0) * PACKED_UNIT);
  return packed;
}

/** The cosine between a document and a packed vector, about -1 to 1. */
export function likeness({ documentVectors }: Meaning, document: number, vector: Int8Array): number {
  const size = vector.length;
  const row = document * size;
  // Whole numbers, four sums at once: every search does this for every tool.
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let at = 0; at < size; at += 4) {
    const here = row + at;
    a = (a + (vector[at] as number) * (documentVectors[here] as number)) | 0;
    b = (b + (vector[at + 1] as number) * (documentVectors[here + 1] as number)) | 0;
    c = (c + (vector[at + 2] as number) * (documentVectors[here + 2] as number)) | 0;
    d = (d + (vector[at + 3] as number) * (documentVectors[here + 3] as number)) | 0;
  }
  return (a + b + c + d) / (PACKED_UNIT * PACKED_UNIT);
}

/** Brings a vector to unit length in place; false when it has no direction. */
export function toUnit(vector: Float32Array): boolean {
  let squares = 0;
  for (let at = 0; at < vector.length; at++) squares += (vector[at] ?? 0) ** 2;
  if (squares === 0) return false;
  const length = Math.sqrt(squares);
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length;
  return true;
}

/** The meanings of what stayed, for the moment until the changed catalogue has been worked out anew. */
export function carryMeaning(
  meaning: Meaning,
  before: readonly SearchSource[],
  after: readonly SearchSource[],
): Meaning {
  const size = meaning.words.size;
  const documentVectors = new Int8Array(after.length * size);
  let from = 0;
  after.forEach((source, to) => {
    while ((before[from]?.key ?? source.key) < source.key) from++;
    const same = before[from]?.key === source.key && before[from]?.definition === source.definition;
    if (same)
      documentVectors.set(meaning.documentVectors.subarray(from * size, (from + 1) * size), to * size);
  });
  return { ...meaning, documentVectors };
}

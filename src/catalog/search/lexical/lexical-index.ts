/** The inverted index as flat arrays, replaced as a whole on change; documents that stay are copied, never read again. */
import type { SearchSource } from '../search.ts';
import type { RankingWeights } from '../weights.ts';
import { COUNT_BITS, FIELD_COUNT, MAX_COUNT, type TermCounts } from './fields.ts';
import { TermTable } from './term-table.ts';

/** A document that is new to the index. */
export interface AddedDocument {
  readonly source: SearchSource;
  readonly counts: TermCounts;
}

/** Every posting of every term; the postings of term t stand from `starts[t]` to `starts[t + 1]`. */
export interface LexicalIndex {
  /** Sorted by key; a document's place here is its number. */
  readonly sources: readonly SearchSource[];
  readonly table: TermTable;
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  /** Counts per field, packed. */
  readonly counts: Uint32Array;
  /** How strongly a term speaks for a document, 0 to 1. */
  readonly impacts: Float32Array;
  /** How much a term tells, by term. */
  readonly rarity: Float32Array;
  /** Field lengths, by document and field. */
  readonly lengths: Uint16Array;
  /** What a count in a field is worth, by document and field. */
  readonly worth: Float32Array;
  /** Sum of the rarity of the terms in a document's name. */
  readonly nameRarity: Float32Array;
}

/** An index without documents. */
export function emptyIndex(): LexicalIndex {
  return {
    sources: [],
    table: new TermTable(),
    starts: new Uint32Array(1),
    documents: new Uint32Array(0),
    counts: new Uint32Array(0),
    impacts: new Float32Array(0),
    rarity: new Float32Array(0),
    lengths: new Uint16Array(0),
    worth: new Float32Array(0),
    nameRarity: new Float32Array(0),
  };
}

/** What stays of an index and what comes to it; `kept[n]` is the newest source of document n, or undefined when it goes. */
export interface IndexChange {
  readonly kept: readonly (SearchSource | undefined)[];
  readonly added: readonly AddedDocument[];
}

/** Applies a change; equal sets of documents give equal answers, whatever came before. */
export function changeIndex(index: LexicalIndex, change: IndexChange, weights: RankingWeights): LexicalIndex {
  const order = orderDocuments(change);
  const placed = placePostings(index, change, order);
  const lengths = placeLengths(index, change, order);
  const sources = order.sources;
  return dropDeadTerms(weigh({ sources, table: index.table, lengths, ...placed }, weights), weights);
}

/** How many documents a term stands in. */
export function frequencyOf(index: LexicalIndex, term: number): number {
  return (index.starts[term + 1] ?? 0) - (index.starts[term] ?? 0);
}

interface DocumentOrder {
  readonly sources: readonly SearchSource[];
  /** New numbers of the documents that were there, -1 when gone. */
  readonly ofKept: Int32Array;
  readonly ofAdded: Int32Array;
}

function orderDocuments({ kept, added }: IndexChange): DocumentOrder {
  const all: { source: SearchSource; from: number }[] = [];
  kept.forEach((source, from) => {
    if (source) all.push({ source, from });
  });
  added.forEach(({ source }, position) => {
    all.push({ source, from: kept.length + position });
  });
  all.sort((a, b) => (a.source.key < b.source.key ? -1 : 1));
  const ofKept = new Int32Array(kept.length).fill(-1);
  const ofAdded = new Int32Array(added.length);
  all.forEach(({ from }, number) => {
    if (from < kept.length) ofKept[from] = number;
    else ofAdded[from - kept.length] = number;
  });
  return { sources: all.map(({ source }) => source), ofKept, ofAdded };
}

type Placed = Pick<LexicalIndex, 'starts' | 'documents' | 'counts'>;

/** A counting sort by term over what stays and what comes. */
function placePostings(index: LexicalIndex, change: IndexChange, order: DocumentOrder): Placed {
  const starts = new Uint32Array(index.table.size + 1);
  eachPosting(index, change, order, (term) => {
    starts[term + 1] = (starts[term + 1] ?? 0) + 1;
  });
  for (let term = 0; term < index.table.size; term++)
    starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0);
  const next = starts.slice();
  const total = starts[index.table.size] ?? 0;
  const documents = new Uint32Array(total);
  const counts = new Uint32Array(total);
  eachPosting(index, change, order, (term, document, packed) => {
    const place = next[term] ?? 0;
    next[term] = place + 1;
    documents[place] = document;
    counts[place] = packed;
  });
  return { starts, documents, counts };
}

function eachPosting(
  index: LexicalIndex,
  change: IndexChange,
  order: DocumentOrder,
  take: (term: number, document: number, packed: number) => void,
): void {
  const terms = index.starts.length - 1;
  for (let term = 0; term < terms; term++) {
    const end = index.starts[term + 1] ?? 0;
    for (let at = index.starts[term] ?? 0; at < end; at++) {
      const document = order.ofKept[index.documents[at] ?? 0] ?? -1;
      if (document >= 0) take(term, document, index.counts[at] ?? 0);
    }
  }
  change.added.forEach(({ counts }, position) => {
    const document = order.ofAdded[position] ?? 0;
    for (let at = 0; at < counts.terms.length; at++)
      take(counts.terms[at] ?? 0, document, counts.packed[at] ?? 0);
  });
}

function placeLengths(index: LexicalIndex, change: IndexChange, order: DocumentOrder): Uint16Array {
  const lengths = new Uint16Array(order.sources.length * FIELD_COUNT);
  order.ofKept.forEach((to, from) => {
    if (to >= 0)
      lengths.set(index.lengths.subarray(from * FIELD_COUNT, (from + 1) * FIELD_COUNT), to * FIELD_COUNT);
  });
  change.added.forEach(({ counts }, position) => {
    lengths.set(counts.lengths, (order.ofAdded[position] ?? 0) * FIELD_COUNT);
  });
  return lengths;
}

type Unweighed = Placed & Pick<LexicalIndex, 'sources' | 'table' | 'lengths'>;

/** Works out rarity and impact (BM25F), which depend on the whole set. */
function weigh(parts: Unweighed, weights: RankingWeights): LexicalIndex {
  const { starts, documents, counts } = parts;
  const size = parts.sources.length;
  const worth = toWorth(parts.lengths, size, weights);
  const rarity = new Float32Array(starts.length - 1);
  const impacts = new Float32Array(documents.length);
  const nameRarity = new Float32Array(size);
  for (let term = 0; term < rarity.length; term++) {
    const start = starts[term] ?? 0;
    const end = starts[term + 1] ?? 0;
    const tells = Math.log(1 + (size - (end - start) + 0.5) / (end - start + 0.5));
    rarity[term] = tells;
    for (let at = start; at < end; at++) {
      const document = documents[at] ?? 0;
      const packed = counts[at] ?? 0;
      let strength = 0;
      for (let field = 0; field < FIELD_COUNT; field++)
        strength +=
          ((packed >>> (field * COUNT_BITS)) & MAX_COUNT) * (worth[document * FIELD_COUNT + field] ?? 0);
      impacts[at] = strength / (weights.saturation + strength);
      if (packed & MAX_COUNT) nameRarity[document] = (nameRarity[document] ?? 0) + tells;
    }
  }
  return { ...parts, worth, rarity, impacts, nameRarity };
}

function toWorth(lengths: Uint16Array, size: number, weights: RankingWeights): Float32Array {
  const worth = new Float32Array(lengths.length);
  for (let field = 0; field < FIELD_COUNT; field++) {
    let total = 0;
    for (let document = 0; document < size; document++) total += lengths[document * FIELD_COUNT + field] ?? 0;
    const mean = total / size || 1;
    const weight = weights.fields[field] ?? 0;
    const share = weights.lengthShare[field] ?? 0;
    for (let document = 0; document < size; document++) {
      const at = document * FIELD_COUNT + field;
      worth[at] = weight / (1 - share + (share * (lengths[at] ?? 0)) / mean);
    }
  }
  return worth;
}

/** Renumbers the terms once many of them stand nowhere any more, or a long-lived index would only grow. */
function dropDeadTerms(index: LexicalIndex, weights: RankingWeights): LexicalIndex {
  let dead = 0;
  for (let term = 0; term < index.rarity.length; term++) if (frequencyOf(index, term) === 0) dead++;
  if (dead * 4 <= index.rarity.length || dead === 0) return index;
  const table = new TermTable();
  const starts = new Uint32Array(index.rarity.length - dead + 1);
  for (let term = 0; term < index.rarity.length; term++) {
    if (frequencyOf(index, term) > 0)
      starts[table.add(index.table.termAt(term)) + 1] = index.starts[term + 1] ?? 0;
  }
  const { sources, documents, counts, lengths } = index;
  return weigh({ sources, table, starts, documents, counts, lengths }, weights);
}

/** Reads a query: its words as stems, and which of them stand together in a sentence or clause. */
import { toStem } from './porter.ts';
import { FILLER_WORDS, STOP_WORDS } from './stop-words.ts';
import { splitWords } from './words.ts';

/** A query, ready to be matched. */
export interface ParsedQuery {
  /** Distinct stems in the order they came. */
  readonly terms: readonly string[];
  /** How often each came. */
  readonly counts: readonly number[];
  /** Sentences and clauses as positions in `terms`; empty when the query is one clause. */
  readonly segments: readonly (readonly number[])[];
}

const MAX_LENGTH = 4_000;
const MAX_TERMS = 64;
const MAX_SEGMENTS = 16;
const MIN_SEGMENT = 2;

/** Words that begin a new step. */
const CLAUSE_WORDS: ReadonlySet<string> = new Set(
  'and then also next after afterwards finally additionally plus while before'.split(' '),
);

/** Reads a query of any length within fixed bounds. */
export function parseQuery(query: string): ParsedQuery {
  const text = query.slice(0, MAX_LENGTH);
  const filled = new Terms(true);
  const clauses = splitClauses(text);
  const sentences = splitSentences(text);
  const found = [...sentences, ...clauses].map((part) => filled.read(part));
  if (filled.terms.length > 0) return filled.toQuery(sentences.length, found);
  const anything = new Terms(false);
  return anything.toQuery(
    sentences.length,
    [...sentences, ...clauses].map((part) => anything.read(part)),
  );
}

/** Collects the distinct stems of a query. */
class Terms {
  readonly terms: string[] = [];
  readonly #counts: number[] = [];
  readonly #positions = new Map<string, number>();
  readonly #skipFillers: boolean;

  constructor(skipFillers: boolean) {
    this.#skipFillers = skipFillers;
  }

  /** The positions of a part's words, distinct. */
  read(part: string): number[] {
    const positions: number[] = [];
    splitWords(part, (word) => {
      if (STOP_WORDS.has(word) || (this.#skipFillers && FILLER_WORDS.has(word))) return;
      const position = this.#place(toStem(word));
      if (position !== undefined) positions.push(position);
    });
    return positions;
  }

  toQuery(sentences: number, parts: readonly (readonly number[])[]): ParsedQuery {
    // Sentences hold every word once; clauses hold the same words again.
    for (const part of parts.slice(0, sentences)) for (const position of part) this.#count(position);
    const segments = distinct(parts.slice(0, sentences)).concat(distinct(parts.slice(sentences)));
    const useful = segments.filter((segment) => segment.length < this.terms.length);
    return { terms: this.terms, counts: this.#counts, segments: useful.slice(0, MAX_SEGMENTS) };
  }

  #count(position: number): void {
    this.#counts[position] = (this.#counts[position] ?? 0) + 1;
  }

  #place(term: string): number | undefined {
    const known = this.#positions.get(term);
    if (known !== undefined || this.terms.length >= MAX_TERMS) return known;
    this.#positions.set(term, this.terms.length);
    return this.terms.push(term) - 1;
  }
}

/** Joins parts too short to stand alone to the one before. */
function distinct(parts: readonly (readonly number[])[]): number[][] {
  const joined: Set<number>[] = [];
  for (const part of parts) {
    if (part.length === 0) continue;
    const last = joined.at(-1);
    if (part.length < MIN_SEGMENT && last) for (const position of part) last.add(position);
    else joined.push(new Set(part));
  }
  return joined.map((part) => [...part]);
}

function splitSentences(text: string): string[] {
  return text.split(/[.;?!\n。；？！]/);
}

function splitClauses(text: string): string[] {
  const clauses: string[] = [];
  for (const piece of text.split(/[.,;:?!\n()。，、；：？！]/)) {
    let words: string[] = [];
    for (const word of piece.split(/\s/)) {
      if (CLAUSE_WORDS.has(word.toLowerCase())) {
        clauses.push(words.join(' '));
        words = [];
      } else words.push(word);
    }
    clauses.push(words.join(' '));
  }
  return clauses;
}

/** The fields of a document, their order in packed counts, and the words each one holds. */
import type { SearchDocument } from '../document.ts';
import type { SearchField, SearchServer } from '../search.ts';
import { toStem } from '../text/porter.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { splitWords } from '../text/words.ts';

/** Every field, in the order its count is packed. */
export const FIELDS: readonly SearchField[] = [
  'name',
  'server',
  'parameters',
  'lead',
  'description',
  'parameterTexts',
];

/** How many fields there are. */
export const FIELD_COUNT = 6;

/** Bits of one field's count within a packed number. */
export const COUNT_BITS = 5;

/** The largest count one field can hold. */
export const MAX_COUNT = 31;

/** A document as numbers: its distinct terms, how often each stands in each field, and how long the fields are. */
export interface TermCounts {
  readonly terms: Uint32Array;
  readonly packed: Uint32Array;
  readonly lengths: Uint16Array;
}

/** Numbers given to terms, growing as new ones are met. */
export interface TermNumbers {
  /** The number of a stem, new when it was not known. */
  add(stem: string): number;
}

/** Counts a document's terms; words met before cost one look-up. */
export class TermCounter {
  readonly #numbers: TermNumbers;
  readonly #known = new Map<string, number>();
  readonly #counts = new Map<number, number>();
  readonly #lengths = new Uint16Array(FIELD_COUNT);

  constructor(numbers: TermNumbers) {
    this.#numbers = numbers;
  }

  count(document: SearchDocument, server: SearchServer): TermCounts {
    this.#counts.clear();
    this.#lengths.fill(0);
    this.#add(0, document.name, false);
    this.#add(0, document.title, true);
    this.#add(1, server.name, true);
    for (const name of document.parameterNames) this.#add(2, name, false);
    this.#add(3, document.lead, false);
    this.#add(4, document.description, false);
    for (const text of document.parameterTexts) this.#add(5, text, false);
    return {
      terms: Uint32Array.from(this.#counts.keys()),
      packed: Uint32Array.from(this.#counts.values()),
      lengths: this.#lengths.slice(),
    };
  }

  /** `once` leaves out what the field already holds: a title that repeats the name says nothing more. */
  #add(field: number, text: string, once: boolean): void {
    const shift = field * COUNT_BITS;
    splitWords(text, (word) => {
      const term = this.#toTerm(word);
      if (term < 0) return;
      const packed = this.#counts.get(term) ?? 0;
      const count = (packed >>> shift) & MAX_COUNT;
      if (once && count > 0) return;
      this.#lengths[field] = Math.min(65_535, (this.#lengths[field] ?? 0) + 1);
      this.#counts.set(term, count < MAX_COUNT ? packed + (1 << shift) : packed);
    });
  }

  #toTerm(word: string): number {
    let term = this.#known.get(word);
    if (term === undefined) {
      term = STOP_WORDS.has(word) ? -1 : this.#numbers.add(toStem(word));
      this.#known.set(word, term);
    }
    return term;
  }
}

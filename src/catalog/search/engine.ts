/** The search engine: one index over all tools, kept in step with the catalogue, asked by everybody. */
import { onceLoaded } from '../../lib/once-loaded.ts';
import { toSearchDocument } from './document.ts';
import { expandTerms } from './lexical/expansions.ts';
import { TermCounter } from './lexical/fields.ts';
import { type AddedDocument, changeIndex, emptyIndex, type LexicalIndex } from './lexical/lexical-index.ts';
import { collectEvidence } from './ranking/evidence.ts';
import { findExact } from './ranking/exact.ts';
import { createHit } from './ranking/explain.ts';
import { gatherCandidates } from './ranking/gather.ts';
import { toQuestion } from './ranking/question.ts';
import { spread } from './ranking/spread.ts';
import type { SearchEngine, SearchHit, SearchOptions, SearchSource } from './search.ts';
import { learnMeaning } from './semantic/learn-meaning.ts';
import { carryMeaning, type Meaning } from './semantic/meaning.ts';
import type { WordVectors } from './semantic/word-vectors.ts';
import { parseQuery } from './text/query.ts';
import { createSynonyms } from './text/synonyms.ts';
import { DEFAULT_WEIGHTS, type RankingWeights } from './weights.ts';

/** What an engine is made of; everything has a default. */
export interface SearchEngineParts {
  readonly weights?: Partial<RankingWeights>;
  /** Brings the table of word meanings; `undefined` leaves search to the words alone. */
  readonly loadVectors?: (() => Promise<WordVectors>) | undefined;
  /** Runs a piece of background work soon, behind what is waiting. */
  readonly defer?: (run: () => void) => void;
  /** Told when meanings could not be worked out; search goes on with the words alone. */
  readonly onFault?: (fault: unknown) => void;
}

/** Reads the table of word meanings that ships with the product. */
export async function loadShippedVectors(): Promise<WordVectors> {
  const { openWordVectors } = await import('./semantic/word-vectors.ts');
  return openWordVectors();
}

/** Creates an engine with nothing in it. */
export function createSearchEngine(parts: SearchEngineParts = {}): SearchEngine {
  return new IndexedSearch(parts);
}

class IndexedSearch implements SearchEngine {
  readonly #weights: RankingWeights;
  readonly #synonyms = createSynonyms();
  readonly #loadVectors: (() => Promise<WordVectors>) | undefined;
  readonly #defer: (run: () => void) => void;
  readonly #onFault: (fault: unknown) => void;
  #index: LexicalIndex = emptyIndex();
  #meaning: Meaning | undefined;
  #settled: Promise<void> = Promise.resolve();

  constructor(parts: SearchEngineParts) {
    this.#weights = { ...DEFAULT_WEIGHTS, ...parts.weights };
    const load = 'loadVectors' in parts ? parts.loadVectors : loadShippedVectors;
    this.#loadVectors = load && onceLoaded(load);
    this.#defer = parts.defer ?? setImmediate;
    this.#onFault = parts.onFault ?? (() => undefined);
  }

  get size(): number {
    return this.#index.sources.length;
  }

  update(sources: readonly SearchSource[]): void {
    const before = this.#index;
    const wanted = new Map(sources.map((source) => [source.key, source]));
    const kept = before.sources.map((old) => {
      const now = wanted.get(old.key);
      return now && isSame(old, now) ? now : undefined;
    });
    for (const source of kept) if (source) wanted.delete(source.key);
    const gone = kept.some((source) => source === undefined);
    if (!gone && wanted.size === 0) return;
    const counter = new TermCounter(before.table);
    const added = [...wanted.values()].map(
      (source): AddedDocument => ({
        source,
        counts: counter.count(toSearchDocument(source.definition, source.name), source.server),
      }),
    );
    this.#index = changeIndex(before, { kept, added }, this.#weights);
    if (this.#meaning) this.#meaning = carryMeaning(this.#meaning, before.sources, this.#index.sources);
    this.#settled = this.#learn(this.#index).catch(this.#onFault);
  }

  search(query: string, options: SearchOptions): readonly SearchHit[] {
    const index = this.#index;
    const meaning = this.#meaning;
    const weights = this.#weights;
    const parsed = parseQuery(query);
    const exact = findExact(index, query);
    const learned = this.#toLearned(options.boosts);
    if (index.sources.length === 0 || options.limit < 1) return [];
    const expansions = expandTerms(index, parsed.terms, {
      synonyms: this.#synonyms,
      synonym: weights.synonym,
      typo: weights.typo,
      isWord: (stem) => meaning?.words.has(stem) ?? false,
    });
    const question = toQuestion(parsed, expansions, index, meaning, weights);
    const extras = new Map(exact);
    for (const [document, bonus] of learned) extras.set(document, (extras.get(document) ?? 0) + bonus);
    const isAllowed = (document: number) => this.#isAllowed(index.sources[document], options);
    const candidates = gatherCandidates({ index, question, meaning, weights, extras, isAllowed });
    const evidence = collectEvidence({ index, question, meaning, weights, candidates });
    const { words, coverage, clause, nameMatch, server } = evidence;
    const scores = words.map(
      (sum, at) =>
        sum +
        (coverage[at] ?? 0) +
        (clause[at] ?? 0) +
        (nameMatch[at] ?? 0) +
        (server[at] ?? 0) +
        (evidence.meaning[at] ?? 0) +
        (extras.get(candidates[at] ?? 0) ?? 0),
    );
    const placed = spread(scores, evidence.gains, question.terms.length, options.limit, weights);
    return placed.map(({ at, score }) => createHit({ index, question, evidence, exact, learned, at, score }));
  }

  toTerms(query: string): readonly string[] {
    return parseQuery(query).terms;
  }

  settled(): Promise<void> {
    return this.#settled;
  }

  #isAllowed(source: SearchSource | undefined, { server, where }: SearchOptions): boolean {
    if (!source || (server !== undefined && source.server.id !== server)) return false;
    return where?.(source.key) ?? true;
  }

  #toLearned(boosts: ReadonlyMap<string, number> | undefined): Map<number, number> {
    const learned = new Map<number, number>();
    for (const [key, boost] of boosts ?? []) {
      const document = findDocument(this.#index.sources, key);
      if (document >= 0) learned.set(document, boost * this.#weights.learned);
    }
    return learned;
  }

  /** Works out meanings for an index, unless a newer one takes its place meanwhile. */
  async #learn(index: LexicalIndex): Promise<void> {
    if (!this.#loadVectors) return;
    // What a start or a change is for comes first.
    await this.#pause();
    const words = await this.#loadVectors();
    const steps = learnMeaning(index, words, this.#weights);
    for (;;) {
      if (this.#index !== index) return this.#settled;
      const step = steps.next();
      if (step.done) {
        this.#meaning = step.value;
        return;
      }
      await this.#pause();
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#defer(resolve));
  }
}

function isSame(old: SearchSource, now: SearchSource): boolean {
  return (
    old.definition === now.definition &&
    old.name === now.name &&
    old.server.id === now.server.id &&
    old.server.name === now.server.name
  );
}

function findDocument(sources: readonly SearchSource[], key: string): number {
  let low = 0;
  let high = sources.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = sources[middle]?.key ?? '';
    if (found === key) return middle;
    if (found < key) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

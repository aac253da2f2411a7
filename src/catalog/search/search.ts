/** The contract of search: which tools of the catalogue an agent's words mean, best first. */
import type { Definition } from '../../model/mcp.ts';

/** The server a tool belongs to, as far as search cares. */
export interface SearchServer {
  /** How the server is called in a path. */
  readonly id: string;
  /** Everything it is called by people and by itself: the words it is found by. */
  readonly name: string;
}

/** One tool to be found. */
export interface SearchSource {
  /** Identifies the tool in hits and filters; unique. */
  readonly key: string;
  /** The tool's name at its server, which an exact query is compared with. */
  readonly name: string;
  readonly definition: Definition;
  readonly server: SearchServer;
}

/** The parts of a tool's text that are weighed separately. */
export type SearchField = 'name' | 'server' | 'parameters' | 'lead' | 'description' | 'parameterTexts';

/** Why a hit stands where it stands: what each part gave to the score. */
export interface SearchExplanation {
  /** Words of the query found, by field. */
  readonly fields: Readonly<Record<SearchField, number>>;
  /** Bonuses beside the words: one clause matched well, many words covered, the server fits, meaning, learning, exact name. */
  readonly bonuses: Readonly<Record<SearchBonus, number>>;
}

/** What adds to a score beside the words themselves. */
export type SearchBonus = 'clause' | 'coverage' | 'nameMatch' | 'server' | 'meaning' | 'learned' | 'exact';

/** One found tool. */
export interface SearchHit {
  readonly key: string;
  /** Comparable within one answer only. */
  readonly score: number;
  explain(): SearchExplanation;
}

/** What narrows or bends one search. */
export interface SearchOptions {
  readonly limit: number;
  /** Who may be found; asked before the limit is applied. */
  readonly where?: (key: string) => boolean;
  /** Only tools of this server. */
  readonly server?: string;
  /** What was learned for whoever asks, by key; about 1 for a sure thing. */
  readonly boosts?: ReadonlyMap<string, number>;
}

/** Finds tools; one engine serves everybody, filtered per search. */
export interface SearchEngine {
  readonly size: number;
  /** Takes the whole catalogue; only what was added, removed or changed is read again. */
  update(sources: readonly SearchSource[]): void;
  search(query: string, options: SearchOptions): readonly SearchHit[];
  /** The words of a query as they are compared and learned from. */
  toTerms(query: string): readonly string[];
  /** Resolves when word meanings have been worked out for the newest catalogue. */
  settled(): Promise<void>;
}

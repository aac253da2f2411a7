/** The tables of the memory server as Kysely sees them. */
import type { Generated } from 'kysely';

/** One remembered thing. */
export interface MemoryRow {
  readonly id: Generated<number>;
  readonly principal: string;
  readonly category: string;
  readonly content: string;
  readonly context: string | null;
  /** Separated by commas. */
  readonly tags: string | null;
  readonly source: string | null;
  /** 1 to 10. */
  readonly importance: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly accessed_at: string | null;
  readonly access_count: number;
  /** Pairs of characters of scripts without spaces, for the full text. */
  readonly grams: string | null;
  /** The tags as they are compared. */
  readonly tag_keys: string | null;
}

/** One section of how the person wants to be served, for every device or for one. */
export interface ContextSectionRow {
  readonly id: Generated<number>;
  readonly principal: string;
  readonly section_key: string;
  readonly section_title: string;
  readonly content: string;
  readonly sort_order: number;
  /** 1 or 0. */
  readonly enabled: number;
  readonly device_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Everything the memory server keeps. */
export interface MemoryTables {
  readonly memories: MemoryRow;
  readonly context_sections: ContextSectionRow;
}

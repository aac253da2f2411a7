/** The tables of projects, as Kysely sees them. */
import type { Generated } from 'kysely';
import type { SourceType } from './citations/csl-item.ts';

/** How far a project has come. */
export const PROJECT_STATUSES = ['active', 'paused', 'completed', 'archived'] as const;

/** What a note can be. */
export const NOTE_TYPES = ['note', 'quote', 'summary', 'analysis', 'question', 'insight'] as const;

/** A piece of research. */
export interface ProjectRow {
  readonly id: Generated<number>;
  readonly principal: string;
  readonly name: string;
  readonly description: string | null;
  readonly type: string;
  readonly status: (typeof PROJECT_STATUSES)[number];
  readonly tags: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Something that was read, seen or heard. */
export interface SourceRow {
  readonly id: Generated<number>;
  readonly principal: string;
  readonly project_id: number | null;
  readonly title: string;
  readonly source_type: SourceType;
  readonly url: string | null;
  readonly authors: string | null;
  readonly publication_date: string | null;
  readonly publisher: string | null;
  readonly doi: string | null;
  readonly isbn: string | null;
  readonly abstract: string | null;
  readonly content_summary: string | null;
  readonly full_text: string | null;
  readonly citation_apa: string;
  /** 1 when the citation was given, 0 when it was made from the rest. */
  readonly is_own_citation: number;
  readonly retrieval_date: string;
  readonly retrieval_method: string | null;
  readonly verified: number;
  readonly verification_notes: string | null;
  readonly tags: string | null;
  readonly relevance_score: number;
  readonly created_at: string;
  /** Pairs of characters of scripts without spaces, for the full text. */
  readonly grams: string | null;
  /** The tags as they are compared. */
  readonly tag_keys: string | null;
}

/** A thought, about a project, a source, both or neither. */
export interface NoteRow {
  readonly id: Generated<number>;
  readonly principal: string;
  readonly project_id: number | null;
  readonly source_id: number | null;
  readonly title: string | null;
  readonly content: string;
  readonly note_type: (typeof NOTE_TYPES)[number];
  readonly tags: string | null;
  readonly created_at: string;
  readonly grams: string | null;
}

/** All of them. */
export interface ProjectTables {
  readonly projects: ProjectRow;
  readonly project_sources: SourceRow;
  readonly project_notes: NoteRow;
}

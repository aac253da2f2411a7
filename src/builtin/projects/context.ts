/** What the tools of projects share. */
import type { Kysely } from 'kysely';
import { LOCAL_PRINCIPAL } from '../../model/principal.ts';
import type { FullText } from '../../store/full-text.ts';
import type { BuiltinParts } from '../builtin.ts';
import { type Citations, createCitations } from './citations/citations.ts';
import { MIGRATIONS, OWNER } from './migrations.ts';
import type { ProjectTables } from './tables.ts';

/** Open tables, whose rows are meant, the time, and the writer of citations. */
export interface ProjectsContext {
  readonly db: Kysely<ProjectTables>;
  readonly fullText: FullText;
  readonly principal: string;
  readonly citations: Citations;
  /** The time, ISO 8601. */
  now(): string;
}

/** Opens the tables. */
export async function openProjects(
  parts: Pick<BuiltinParts, 'store' | 'principal' | 'now'>,
): Promise<ProjectsContext> {
  const { db, fullText } = await parts.store.tables<ProjectTables>(OWNER, MIGRATIONS);
  const clock = parts.now ?? (() => new Date());
  return {
    db,
    fullText,
    principal: parts.principal ?? LOCAL_PRINCIPAL.id,
    citations: createCitations(),
    now: () => clock().toISOString(),
  };
}

/** What the tools of projects share. */

import type { Kysely } from 'kysely';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { FullText } from '../../store/full-text.ts';
import type { BuiltinParts } from '../builtin.ts';
import { type Citations, createCitations } from './citations/citations.ts';
import { PROJECT_MIGRATIONS } from './migrations.ts';
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
  const { db, fullText } = await parts.store.tables<ProjectTables>('projects', PROJECT_MIGRATIONS);
  const clock = parts.now ?? (() => new Date());
  return {
    db,
    fullText,
    principal: parts.principal ?? 'local',
    citations: createCitations(),
    now: () => clock().toISOString(),
  };
}

/** Refuses a project that is not there, or not this principal's; without an id there is nothing to refuse. */
export async function requireProject(
  { db, principal }: ProjectsContext,
  id: number | undefined,
): Promise<void> {
  if (id === undefined) return;
  const row = await db
    .selectFrom('projects')
    .select('id')
    .where('id', '=', id)
    .where('principal', '=', principal)
    .executeTakeFirst();
  if (!row) throw toUnknownProject(id);
}

/** The error for a project that is not there. */
export function toUnknownProject(id: number): GatewayError {
  return new GatewayError('INVALID_PARAMS', `there is no project ${id}; list_projects shows those there are`);
}

/** The error for a source that is not there. */
export function toUnknownSource(id: number): GatewayError {
  return new GatewayError('INVALID_PARAMS', `there is no source ${id}; list_sources shows those there are`);
}

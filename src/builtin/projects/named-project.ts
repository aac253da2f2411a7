/** A project that is named by its id: refused when it is not there, moved to the front of the list when it is added to. */
import type { Transaction } from 'kysely';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { ProjectsContext } from './context.ts';
import type { ProjectTables } from './tables.ts';

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

/** Notes that something happened to a project; refuses one that is not there. */
export async function touchProject(
  transaction: Transaction<ProjectTables>,
  { principal, now }: ProjectsContext,
  id: number | undefined,
): Promise<void> {
  if (id === undefined) return;
  const result = await transaction
    .updateTable('projects')
    .set({ updated_at: now() })
    .where('id', '=', id)
    .where('principal', '=', principal)
    .executeTakeFirst();
  if (Number(result.numUpdatedRows) === 0) throw toUnknownProject(id);
}

/** The error for a project that is not there. */
export function toUnknownProject(id: number): GatewayError {
  return new GatewayError('INVALID_PARAMS', `there is no project ${id}; list_projects shows those there are`);
}

/** What is added to a project moves it to the front of the list. */
import type { Transaction } from 'kysely';
import { type ProjectsContext, toUnknownProject } from './context.ts';
import type { ProjectTables } from './tables.ts';

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

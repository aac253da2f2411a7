/** Projects with how much they hold, for the list tool and the resource. */
import * as z from 'zod';
import { toCount } from '../page.ts';
import { toPreview } from '../text.ts';
import type { ProjectsContext } from './context.ts';
import type { ProjectRow } from './tables.ts';

/** As much of a description as a list has room for. */
const PREVIEW = 200;

/** Which projects, and which part of them. */
export interface ProjectFilter {
  readonly status?: ProjectRow['status'] | undefined;
  readonly type?: string | undefined;
}

/** A project in a list. */
export const listedProject = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string().optional(),
  type: z.string(),
  status: z.string(),
  tags: z.string().optional(),
  updated_at: z.string(),
  sources: z.int(),
  notes: z.int(),
});

/** A project in a list. */
export type ListedProject = z.infer<typeof listedProject>;

/** Projects, last changed first. */
export async function listProjects(
  context: ProjectsContext,
  { limit, offset, ...filter }: ProjectFilter & { readonly limit: number; readonly offset: number },
): Promise<ListedProject[]> {
  const rows = await filtered(context, filter)
    .select(['id', 'name', 'description', 'type', 'status', 'tags', 'updated_at'])
    .select(({ selectFrom, fn }) => [
      selectFrom('project_sources')
        .whereRef('project_id', '=', 'projects.id')
        .select(fn.countAll<number>().as('count'))
        .as('sources'),
      selectFrom('project_notes')
        .whereRef('project_id', '=', 'projects.id')
        .select(fn.countAll<number>().as('count'))
        .as('notes'),
    ])
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(({ description, tags, ...row }) => ({
    ...row,
    ...(description !== null && { description: toShown(description) }),
    ...(tags !== null && { tags }),
    sources: Number(row.sources),
    notes: Number(row.notes),
  }));
}

/** How many there are. */
export async function countProjects(context: ProjectsContext, filter: ProjectFilter): Promise<number> {
  const { count } = await filtered(context, filter)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** One line a project. */
export function toProjectLine(project: ListedProject): string {
  const tags = project.tags === undefined ? '' : ` #${project.tags}`;
  const about = project.description === undefined ? '' : `\n   ${project.description}`;
  return `${project.id}. ${project.name} (${project.type}, ${project.status}; ${toCount(project.sources, 'source')}, ${toCount(project.notes, 'note')})${tags}${about}`;
}

/** As it was written where there is room, since nothing else shows a description. */
function toShown(description: string): string {
  return [...description].length <= PREVIEW ? description : toPreview(description, PREVIEW);
}

function filtered({ db, principal }: ProjectsContext, { status, type }: ProjectFilter) {
  let found = db.selectFrom('projects').where('principal', '=', principal);
  if (status !== undefined) found = found.where('status', '=', status);
  if (type !== undefined) found = found.where('type', '=', type);
  return found;
}

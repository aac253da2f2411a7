/** The tools that open, list and change projects. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { ADDS, defineTool, READS, REPLACES } from '../../builtin.ts';
import { fence } from '../../fence.ts';
import { page, toNextOffset, toPageText } from '../../page.ts';
import { orNull } from '../../text.ts';
import type { ProjectsContext } from '../context.ts';
import { limit, longText, offset, projectType, saidLine, shortText } from '../fields.ts';
import { toUnknownProject } from '../named-project.ts';
import { countProjects, listedProject, listProjects, toProjectLine } from '../project-list.ts';
import { PROJECT_STATUSES } from '../tables.ts';

/** Opens a project. */
export const createProject = defineTool({
  name: 'create_project',
  title: 'Create a project',
  description: 'Open a research project for sources and notes.',
  input: z.object({
    name: saidLine,
    description: longText.optional(),
    type: projectType.default('research'),
    tags: shortText.describe('comma separated').optional(),
  }),
  output: z.object({ id: z.int() }),
  annotations: ADDS,
  async run(input, { db, principal, now }: ProjectsContext) {
    const at = now();
    const { id } = await db
      .insertInto('projects')
      .values({
        principal,
        name: input.name,
        description: orNull(input.description),
        type: input.type,
        status: 'active',
        tags: orNull(input.tags),
        created_at: at,
        updated_at: at,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { id };
  },
  toText: ({ id }) => `Created project ${id}.`,
});

/** Lists projects, the last touched first. */
export const listProjectsTool = defineTool({
  name: 'list_projects',
  title: 'List projects',
  description: 'List projects with their counts, last changed first.',
  input: z.object({
    status: z.enum(PROJECT_STATUSES).optional(),
    type: z.string().max(100).optional(),
    limit: limit(20),
    offset,
  }),
  output: z.object({ projects: z.array(listedProject), ...page }),
  annotations: READS,
  async run(input, context: ProjectsContext) {
    const projects = await listProjects(context, input);
    const total = await countProjects(context, input);
    return { projects, total, ...toNextOffset(total, input.offset, projects.length) };
  },
  toText(output) {
    const head = toPageText('projects', output, output.projects.length);
    if (output.projects.length === 0) return head;
    return `${head}\n${fence(output.projects.map(toProjectLine).join('\n'))}`;
  },
});

/** Changes what is given of a project. */
export const updateProject = defineTool({
  name: 'update_project',
  title: 'Update a project',
  description: 'Change the given fields of a project.',
  input: z.object({
    id: z.int(),
    name: saidLine.optional(),
    description: longText.optional(),
    status: z.enum(PROJECT_STATUSES).optional(),
    type: projectType.optional(),
    tags: shortText.optional(),
  }),
  output: z.object({ id: z.int(), changed: z.array(z.string()) }),
  annotations: REPLACES,
  async run({ id, ...given }, { db, principal, now }: ProjectsContext) {
    const { name, description, status, type, tags } = given;
    const changes = {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description: orNull(description) }),
      ...(status !== undefined && { status }),
      ...(type !== undefined && { type }),
      ...(tags !== undefined && { tags: orNull(tags) }),
    };
    const changed = Object.keys(changes);
    if (changed.length === 0) {
      throw new GatewayError(
        'INVALID_PARAMS',
        `project ${id} was not changed: give name, description, status, type or tags`,
      );
    }
    const result = await db
      .updateTable('projects')
      .set({ ...changes, updated_at: now() })
      .where('id', '=', id)
      .where('principal', '=', principal)
      .executeTakeFirst();
    if (Number(result.numUpdatedRows) === 0) throw toUnknownProject(id);
    return { id, changed };
  },
  toText: ({ id, changed }) => `Project ${id}: ${changed.join(', ')} changed.`,
});

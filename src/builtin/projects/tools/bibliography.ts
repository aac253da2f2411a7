/** The tools that sum up: a bibliography, and counts. */
import { sql } from 'kysely';
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { defineTool, READS } from '../../builtin.ts';
import { fence } from '../../fence.ts';
import { page, toNextOffset, toPageText } from '../../page.ts';
import { BIBLIOGRAPHY_FORMATS, toBibliographyText } from '../citations/citations.ts';
import type { ProjectsContext } from '../context.ts';
import { counts, offset, saidLine } from '../fields.ts';
import { requireProject } from '../named-project.ts';
import { CITED_COLUMNS, countSources, selectSources, toCited } from '../source-list.ts';
import type { ProjectTables } from '../tables.ts';

/** More are refused: putting them in order would keep everybody else waiting. */
const MOST_SOURCES = 5_000;

/** Writes the sources out in a citation style or a data format. */
export const generateBibliography = defineTool({
  name: 'generate_bibliography',
  title: 'Generate a bibliography',
  description: 'Write the bibliography of a project, a tag or everything.',
  input: z.object({
    project_id: z.int().optional(),
    tag: saidLine.optional(),
    verified_only: z.boolean().default(false),
    format: z.enum(BIBLIOGRAPHY_FORMATS).default('apa'),
    limit: z.int().min(1).max(500).default(100),
    offset,
  }),
  output: z.object({ bibliography: z.string(), source_ids: z.array(z.int()), ...page }),
  annotations: READS,
  async run({ format, limit: most, offset: start, ...filter }, context: ProjectsContext, { signal }) {
    await requireProject(context, filter.project_id);
    const total = await countSources(context, filter);
    if (total > MOST_SOURCES) throw toTooMany(total);
    // All of them, whatever part is asked for: what is on one page depends on what is on the others.
    const rows = await selectSources(context, filter).select(CITED_COLUMNS).orderBy('id').execute();
    const part = { offset: start, limit: most, signal };
    const entries = await context.citations.list(rows.map(toCited), format, part);
    return {
      bibliography: toBibliographyText(entries, format),
      source_ids: entries.map((entry) => entry.source_id),
      total: rows.length,
      ...toNextOffset(rows.length, start, entries.length),
    };
  },
  toText(output) {
    const head = toPageText('sources', output, output.source_ids.length);
    return output.source_ids.length === 0 ? head : `${head}\n${fence(output.bibliography)}`;
  },
});

/** Counts everything. */
export const projectStats = defineTool({
  name: 'project_stats',
  title: 'Project statistics',
  description: 'Count projects, sources and notes by kind.',
  input: z.object({}),
  output: z.object({
    projects: z.int(),
    projects_by_status: counts,
    projects_by_type: counts,
    sources: z.int(),
    verified_sources: z.int(),
    sources_by_type: counts,
    notes: z.int(),
    notes_by_type: counts,
  }),
  annotations: READS,
  async run(_input, context: ProjectsContext) {
    const statuses = await countBy(context, 'projects', 'status');
    const sources = await countBy(context, 'project_sources', 'source_type');
    const notes = await countBy(context, 'project_notes', 'note_type');
    return {
      projects: sumOf(statuses),
      projects_by_status: statuses,
      projects_by_type: await countBy(context, 'projects', 'type'),
      sources: sumOf(sources),
      verified_sources: await countSources(context, { verified_only: true }),
      sources_by_type: sources,
      notes: sumOf(notes),
      notes_by_type: notes,
    };
  },
  toText(output) {
    const lines = [
      `${output.projects} projects (${toList(output.projects_by_status)})`,
      `by type: ${toList(output.projects_by_type)}`,
      `${output.sources} sources, ${output.verified_sources} verified (${toList(output.sources_by_type)})`,
      `${output.notes} notes (${toList(output.notes_by_type)})`,
    ];
    // The types of projects are words of whoever made them.
    return fence(lines.join('\n'));
  },
});

function toTooMany(total: number): GatewayError {
  return new GatewayError(
    'INVALID_PARAMS',
    `these are ${total} sources, and one bibliography holds up to ${MOST_SOURCES}; narrow it with project_id, tag or verified_only`,
  );
}

async function countBy(
  { db, principal }: ProjectsContext,
  table: keyof ProjectTables,
  column: string,
): Promise<Record<string, number>> {
  const kind = sql.ref<string>(column);
  const rows = await db
    .selectFrom(table)
    .select(({ fn }) => [kind.as('kind'), fn.countAll<number>().as('count')])
    .where('principal', '=', principal)
    .groupBy(kind)
    .orderBy(kind)
    .execute();
  return Object.fromEntries(rows.map((row) => [row.kind, Number(row.count)]));
}

function sumOf(by: Readonly<Record<string, number>>): number {
  return Object.values(by).reduce((sum, count) => sum + count, 0);
}

function toList(by: Readonly<Record<string, number>>): string {
  const parts = Object.entries(by).map(([kind, count]) => `${kind} ${count}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

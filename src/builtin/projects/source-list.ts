/** Sources as lists and searches show them, and which of them are meant. */
import * as z from 'zod';
import { GatewayError } from '../../errors/gateway-error.ts';
import { hasTag } from '../tag-keys.ts';
import { toPreview } from '../text.ts';
import type { BibliographySource } from './citations/citations.ts';
import type { CitedSource, SourceType } from './citations/csl-item.ts';
import type { ProjectsContext } from './context.ts';
import type { SourceRow } from './tables.ts';

const PREVIEW = 200;

/** Which sources. */
export interface SourceFilter {
  readonly project_id?: number | undefined;
  readonly source_type?: SourceType | undefined;
  readonly verified_only?: boolean | undefined;
  readonly tag?: string | undefined;
}

/** A source in a list. */
export const listedSource = z.object({
  id: z.int(),
  project_id: z.int().optional(),
  title: z.string(),
  source_type: z.string(),
  citation: z.string(),
  url: z.string().optional(),
  summary: z.string().optional(),
  tags: z.string().optional(),
  verified: z.boolean(),
  relevance_score: z.number(),
});

/** A source in a list. */
export type ListedSourceItem = z.infer<typeof listedSource>;

/** The columns a list needs; texts as long as books stay where they are. */
export const LISTED_COLUMNS = [
  'id',
  'project_id',
  'title',
  'source_type',
  'citation_apa',
  'url',
  'content_summary',
  'abstract',
  'tags',
  'verified',
  'relevance_score',
] as const satisfies readonly (keyof SourceRow)[];

/** The columns a citation needs. */
export const CITED_COLUMNS = [
  'id',
  'title',
  'source_type',
  'authors',
  'publication_date',
  'publisher',
  'url',
  'doi',
  'isbn',
  'retrieval_date',
  'citation_apa',
  'is_own_citation',
] as const satisfies readonly (keyof SourceRow)[];

type Selected<Columns extends readonly (keyof SourceRow)[]> = Omit<Pick<SourceRow, Columns[number]>, 'id'> & {
  readonly id: number;
};

/** The sources that are meant, of this principal. */
export function selectSources({ db, principal }: ProjectsContext, filter: SourceFilter) {
  let found = db.selectFrom('project_sources').where('principal', '=', principal);
  if (filter.project_id !== undefined) found = found.where('project_id', '=', filter.project_id);
  if (filter.source_type !== undefined) found = found.where('source_type', '=', filter.source_type);
  if (filter.verified_only) found = found.where('verified', '=', 1);
  if (filter.tag !== undefined) found = found.where(hasTag(filter.tag));
  return found;
}

/** How many are meant. */
export async function countSources(context: ProjectsContext, filter: SourceFilter): Promise<number> {
  const { count } = await selectSources(context, filter)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** A row as a list shows it. */
export function toListedSource(row: Selected<typeof LISTED_COLUMNS>): ListedSourceItem {
  const summary = row.content_summary ?? row.abstract;
  return {
    id: row.id,
    ...(row.project_id !== null && { project_id: row.project_id }),
    title: row.title,
    source_type: row.source_type,
    citation: row.citation_apa,
    ...(row.url !== null && { url: row.url }),
    ...(summary !== null && { summary: toPreview(summary, PREVIEW) }),
    ...(row.tags !== null && { tags: row.tags }),
    verified: row.verified === 1,
    relevance_score: row.relevance_score,
  };
}

/** A row as a bibliography needs it. */
export function toCited(row: Selected<typeof CITED_COLUMNS>): BibliographySource {
  const { citation_apa, is_own_citation, ...cited } = row;
  return { ...(cited satisfies CitedSource), own_citation: is_own_citation === 1 ? citation_apa : null };
}

/** A source as a few lines of text. */
export function toSourceLines(source: ListedSourceItem): string {
  const marks = [source.source_type, `relevance ${source.relevance_score}/10`];
  if (source.verified) marks.push('verified');
  if (source.project_id !== undefined) marks.push(`project ${source.project_id}`);
  const lines = [`${source.id}. ${source.title} (${marks.join(', ')})`, source.citation];
  if (source.url !== undefined && !source.citation.includes(source.url)) lines.push(source.url);
  if (source.tags !== undefined) lines.push(`#${source.tags}`);
  if (source.summary !== undefined) lines.push(source.summary);
  return lines.join('\n   ');
}

/** The error for a source that is not there. */
export function toUnknownSource(id: number): GatewayError {
  return new GatewayError('INVALID_PARAMS', `there is no source ${id}; list_sources shows those there are`);
}

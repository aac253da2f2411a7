/** The tools that find, show and check sources. */
import * as z from 'zod';
import { defineTool, READS, REPLACES } from '../../builtin.ts';
import { fence } from '../../fence.ts';
import { page, toCount, toNextOffset, toPageText } from '../../page.ts';
import { inRankOrder, toConditions } from '../../ranked.ts';
import { orNull, toPresent, toPreview } from '../../text.ts';
import type { ProjectsContext } from '../context.ts';
import { limit, longText, offset, query, sourceType } from '../fields.ts';
import { requireProject } from '../named-project.ts';
import {
  countSources,
  LISTED_COLUMNS,
  type ListedSourceItem,
  listedSource,
  selectSources,
  toListedSource,
  toSourceLines,
  toUnknownSource,
} from '../source-list.ts';

const NOTE_PREVIEW = 150;
const SHOWN_NOTES = 50;

/** Finds sources by their words. */
export const searchSources = defineTool({
  name: 'search_sources',
  title: 'Search sources',
  description: 'Find sources by words or a sentence, best first.',
  input: z.object({
    query,
    project_id: z.int().optional(),
    source_type: sourceType.optional(),
    verified_only: z.boolean().default(false),
    limit: limit(10),
  }),
  output: z.object({ sources: z.array(listedSource) }),
  annotations: READS,
  async run(input, context: ProjectsContext) {
    await requireProject(context, input.project_id);
    const { db, fullText, principal } = context;
    const ranked = await fullText.rank({
      table: 'project_sources',
      text: input.query,
      limit: input.limit,
      where: toConditions({
        principal,
        project_id: input.project_id,
        source_type: input.source_type,
        verified: input.verified_only ? 1 : undefined,
      }),
    });
    const rows = await inRankOrder(ranked, (ids) =>
      db.selectFrom('project_sources').select(LISTED_COLUMNS).where('id', 'in', ids).execute(),
    );
    return { sources: rows.map(toListedSource) };
  },
  toText: ({ sources }) => toListText(`${toCount(sources.length, 'source')} found.`, sources),
});

/** Lists sources. */
export const listSources = defineTool({
  name: 'list_sources',
  title: 'List sources',
  description: 'List sources.',
  input: z.object({
    project_id: z.int().optional(),
    source_type: sourceType.optional(),
    verified_only: z.boolean().default(false),
    sort_by: z.enum(['recent', 'relevance', 'title']).default('recent'),
    limit: limit(20),
    offset,
  }),
  output: z.object({ sources: z.array(listedSource), ...page }),
  annotations: READS,
  async run({ limit: most, offset: start, sort_by, ...filter }, context: ProjectsContext) {
    await requireProject(context, filter.project_id);
    const found = selectSources(context, filter).select(LISTED_COLUMNS);
    const sorted = {
      recent: () => found.orderBy('created_at', 'desc'),
      relevance: () => found.orderBy('relevance_score', 'desc'),
      title: () => found.orderBy(({ fn }) => fn<string>('lower', ['title'])),
    }[sort_by]();
    const rows = await sorted.orderBy('id', 'desc').limit(most).offset(start).execute();
    const total = await countSources(context, filter);
    return { sources: rows.map(toListedSource), total, ...toNextOffset(total, start, rows.length) };
  },
  toText: (output) => toListText(toPageText('sources', output, output.sources.length), output.sources),
});

/** Everything about one source. */
export const getSource = defineTool({
  name: 'get_source',
  title: 'Get a source',
  description: 'Read everything kept about a source, and its notes.',
  input: z.object({ id: z.int() }),
  output: z.object({
    source: z.looseObject({ id: z.int(), title: z.string(), source_type: z.string(), verified: z.boolean() }),
    notes: z.array(
      z.object({ id: z.int(), note_type: z.string(), title: z.string().optional(), preview: z.string() }),
    ),
    total_notes: z.int(),
  }),
  annotations: READS,
  async run({ id }, context: ProjectsContext) {
    const row = await selectSources(context, {}).selectAll().where('id', '=', id).executeTakeFirst();
    if (!row) throw toUnknownSource(id);
    const { principal: _principal, grams: _grams, tag_keys: _keys, is_own_citation: _own, ...kept } = row;
    const source = { ...toPresent(kept), verified: row.verified === 1 };
    return { source, ...(await readNotes(context, id)) };
  },
  toText({ source, notes, total_notes }) {
    const fields = Object.entries(source).map(([key, value]) => `${key}: ${String(value)}`);
    const lines = notes.map(
      ({ id, note_type, title, preview }) =>
        `${id}. (${note_type}) ${title === undefined ? '' : `${title}: `}${preview}`,
    );
    const head = `Source ${source.id}, ${toCount(total_notes, 'note')}.`;
    return `${head}\n${fence([...fields, ...(lines.length > 0 ? ['notes:', ...lines] : [])].join('\n'))}`;
  },
});

/** Records that somebody checked a source. */
export const verifySource = defineTool({
  name: 'verify_source',
  title: 'Verify a source',
  description: 'Record whether you checked a source yourself; nothing is fetched.',
  input: z.object({ id: z.int(), verified: z.boolean(), notes: longText.optional() }),
  output: z.object({ id: z.int(), verified: z.boolean() }),
  annotations: REPLACES,
  async run({ id, verified, notes }, { db, principal }: ProjectsContext) {
    const result = await db
      .updateTable('project_sources')
      .set({ verified: verified ? 1 : 0, ...(notes !== undefined && { verification_notes: orNull(notes) }) })
      .where('id', '=', id)
      .where('principal', '=', principal)
      .executeTakeFirst();
    if (Number(result.numUpdatedRows) === 0) throw toUnknownSource(id);
    return { id, verified };
  },
  toText: ({ id, verified }) => `Source ${id} is marked as ${verified ? 'verified' : 'not verified'}.`,
});

async function readNotes({ db, principal }: ProjectsContext, source: number) {
  const found = db
    .selectFrom('project_notes')
    .where('source_id', '=', source)
    .where('principal', '=', principal);
  const rows = await found
    .select(['id', 'note_type', 'title', 'content'])
    .orderBy('id')
    .limit(SHOWN_NOTES)
    .execute();
  const { count } = await found
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const notes = rows.map(({ id, note_type, title, content }) => ({
    id,
    note_type,
    ...(title !== null && { title }),
    preview: toPreview(content, NOTE_PREVIEW),
  }));
  return { notes, total_notes: Number(count) };
}

function toListText(head: string, sources: readonly ListedSourceItem[]): string {
  return sources.length === 0 ? head : `${head}\n${fence(sources.map(toSourceLines).join('\n'))}`;
}

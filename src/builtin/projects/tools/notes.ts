/** The tools that keep and find notes. */
import type { Selectable } from 'kysely';
import * as z from 'zod';
import { toGrams } from '../../../store/terms.ts';
import { ADDS, defineTool, READS } from '../../builtin.ts';
import { fence } from '../../fence.ts';
import { toCount } from '../../page.ts';
import { inRankOrder, toConditions } from '../../ranked.ts';
import { orNull } from '../../text.ts';
import type { ProjectsContext } from '../context.ts';
import { limit, query, saidText, shortText } from '../fields.ts';
import { requireProject, touchProject } from '../named-project.ts';
import { selectSources, toUnknownSource } from '../source-list.ts';
import { NOTE_TYPES, type NoteRow } from '../tables.ts';

/** Whole, since nothing else reads a note. */
const foundNote = z.object({
  id: z.int(),
  note_type: z.string(),
  title: z.string().optional(),
  content: z.string(),
  project_id: z.int().optional(),
  source_id: z.int().optional(),
  tags: z.string().optional(),
  created_at: z.string(),
});

type FoundNote = z.infer<typeof foundNote>;

/** Keeps a note. */
export const addNote = defineTool({
  name: 'add_note',
  title: 'Add a note',
  description: 'Keep a note; one on a source joins the project of that source.',
  input: z.object({
    content: saidText,
    note_type: z.enum(NOTE_TYPES).default('note'),
    project_id: z.int().optional(),
    source_id: z.int().optional(),
    title: shortText.optional(),
    tags: shortText.optional(),
  }),
  output: z.object({ id: z.int(), project_id: z.int().optional() }),
  annotations: ADDS,
  async run(input, context: ProjectsContext) {
    const inherited = await projectOf(context, input.source_id);
    const project_id = input.project_id ?? inherited;
    const { db, principal, now } = context;
    const { id } = await db.transaction().execute(async (transaction) => {
      await touchProject(transaction, context, project_id);
      return transaction
        .insertInto('project_notes')
        .values({
          principal,
          project_id: project_id ?? null,
          source_id: input.source_id ?? null,
          title: orNull(input.title),
          content: input.content,
          note_type: input.note_type,
          tags: orNull(input.tags),
          created_at: now(),
          grams: toGrams(input.title, input.content, input.tags),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
    });
    return { id, ...(project_id !== undefined && { project_id }) };
  },
  toText: ({ id, project_id }) =>
    `Added note ${id}${project_id === undefined ? '' : ` to project ${project_id}`}.`,
});

/** Finds notes by their words. */
export const searchNotes = defineTool({
  name: 'search_notes',
  title: 'Search notes',
  description: 'Find notes by words or a sentence, best first.',
  input: z.object({
    query,
    project_id: z.int().optional(),
    note_type: z.enum(NOTE_TYPES).optional(),
    limit: limit(10),
  }),
  output: z.object({ notes: z.array(foundNote) }),
  annotations: READS,
  async run(input, context: ProjectsContext) {
    await requireProject(context, input.project_id);
    const { db, fullText, principal } = context;
    const ranked = await fullText.rank({
      table: 'project_notes',
      text: input.query,
      limit: input.limit,
      where: toConditions({ principal, project_id: input.project_id, note_type: input.note_type }),
    });
    const rows = await inRankOrder(ranked, (ids) =>
      db.selectFrom('project_notes').selectAll().where('id', 'in', ids).execute(),
    );
    return { notes: rows.map(toNote) };
  },
  toText({ notes }) {
    const head = `${toCount(notes.length, 'note')} found.`;
    return notes.length === 0 ? head : `${head}\n${fence(notes.map(toLines).join('\n'))}`;
  },
});

async function projectOf(context: ProjectsContext, source: number | undefined): Promise<number | undefined> {
  if (source === undefined) return undefined;
  const row = await selectSources(context, {})
    .select('project_id')
    .where('id', '=', source)
    .executeTakeFirst();
  if (!row) throw toUnknownSource(source);
  return row.project_id ?? undefined;
}

function toNote(row: Selectable<NoteRow>): FoundNote {
  return {
    id: row.id,
    note_type: row.note_type,
    ...(row.title !== null && { title: row.title }),
    content: row.content,
    ...(row.project_id !== null && { project_id: row.project_id }),
    ...(row.source_id !== null && { source_id: row.source_id }),
    ...(row.tags !== null && { tags: row.tags }),
    created_at: row.created_at,
  };
}

function toLines(note: FoundNote): string {
  const marks: string[] = [note.note_type];
  if (note.project_id !== undefined) marks.push(`project ${note.project_id}`);
  if (note.source_id !== undefined) marks.push(`source ${note.source_id}`);
  const title = note.title === undefined ? '' : ` ${note.title}`;
  return `${note.id}. (${marks.join(', ')})${title}\n   ${note.content}`;
}

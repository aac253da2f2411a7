/** The tool that keeps a source and writes its citation. */
import * as z from 'zod';
import { toGrams } from '../../../store/terms.ts';
import { ADDS, defineTool } from '../../builtin.ts';
import { fence } from '../../fence.ts';
import { toTagKeys } from '../../tag-keys.ts';
import { orNull } from '../../text.ts';
import { parseDoi, parseIsbn, parseWebAddress } from '../citations/identifiers.ts';
import type { ProjectsContext } from '../context.ts';
import {
  doi,
  isbn,
  longText,
  publicationDate,
  saidLine,
  shortText,
  sourceType,
  webAddress,
} from '../fields.ts';
import { requireProject, touchProject } from '../named-project.ts';

const input = z.object({
  title: saidLine,
  source_type: sourceType,
  project_id: z.int().optional(),
  url: webAddress.optional(),
  authors: z
    .string()
    .max(1000)
    .describe('"Last, First; Last, First"; without a comma an institution')
    .optional(),
  publication_date: publicationDate.optional(),
  publisher: z.string().max(1000).describe('publisher, journal or site').optional(),
  doi: doi.optional(),
  isbn: isbn.optional(),
  abstract: longText.optional(),
  content_summary: longText.optional(),
  full_text: longText.optional(),
  citation_apa: z.string().max(1000).describe('made from the rest if left out').optional(),
  retrieval_method: shortText.optional(),
  tags: shortText.optional(),
  relevance_score: z.int().min(1).max(10).default(5),
});

/** Keeps a source. */
export const addSource = defineTool({
  name: 'add_source',
  title: 'Add a source',
  description: 'Keep a source; its citation is made for you.',
  input,
  output: z.object({ id: z.int(), citation: z.string() }),
  annotations: ADDS,
  async run(given, context: ProjectsContext) {
    await requireProject(context, given.project_id);
    const row = await toRow(given, context);
    const { id } = await context.db.transaction().execute(async (transaction) => {
      await touchProject(transaction, context, given.project_id);
      return transaction.insertInto('project_sources').values(row).returning('id').executeTakeFirstOrThrow();
    });
    return { id, citation: row.citation_apa };
  },
  toText: ({ id, citation }) => `Added source ${id}.\n${fence(citation)}`,
});

async function toRow(given: z.output<typeof input>, { principal, citations, now }: ProjectsContext) {
  const at = now();
  const cited = {
    title: given.title,
    source_type: given.source_type,
    url: parseWebAddress(given.url ?? '') ?? null,
    authors: orNull(given.authors),
    publication_date: orNull(given.publication_date?.trim()),
    publisher: orNull(given.publisher),
    doi: parseDoi(given.doi ?? '') ?? null,
    isbn: parseIsbn(given.isbn ?? '') ?? null,
    retrieval_date: at.slice(0, 10),
  };
  const own = orNull(given.citation_apa);
  const texts = {
    abstract: orNull(given.abstract),
    content_summary: orNull(given.content_summary),
    full_text: orNull(given.full_text),
    tags: orNull(given.tags),
    citation_apa: own ?? (await citations.cite({ id: 0, ...cited })),
  };
  return {
    principal,
    project_id: given.project_id ?? null,
    ...cited,
    ...texts,
    is_own_citation: own === null ? 0 : 1,
    retrieval_method: orNull(given.retrieval_method),
    verified: 0,
    verification_notes: null,
    relevance_score: given.relevance_score,
    created_at: at,
    grams: toGrams(cited.title, cited.authors, ...Object.values(texts)),
    tag_keys: toTagKeys(texts.tags),
  };
}

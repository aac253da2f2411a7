/** Finding memories: by words, by what is going on, or by going through them. */
import type { SelectQueryBuilder } from 'kysely';
import * as z from 'zod';
import { defineTool, READS } from '../../builtin.ts';
import { page, toNextOffset, toPageText } from '../../page.ts';
import { said } from '../../said.ts';
import { hasTagPart } from '../../tag-keys.ts';
import { toPresent } from '../../text.ts';
import type { Memory } from '../context.ts';
import { importance, limit, offset, saidLine, shortText } from '../fields.ts';
import {
  findMemories,
  ITEM_COLUMNS,
  MEMORY_ITEM,
  type MemoryItem,
  toMemoriesText,
  toMemoryCount,
} from '../memories.ts';
import type { MemoryTables } from '../tables.ts';

const memories = z.array(MEMORY_ITEM);
const OUTPUT = z.object({ memories });

/** Below this share of the best one's relevance, a memory only shares words that many do. */
const WEAK = 0.1;

/** Finds memories by words. */
export const searchMemories = defineTool({
  name: 'search_memories',
  title: 'Search memories',
  description: 'Find memories by words, best first',
  input: z.object({
    query: saidLine(),
    category: shortText().optional(),
    min_importance: importance().optional(),
    limit: limit(10),
  }),
  output: OUTPUT,
  annotations: READS,
  async run({ query, category, min_importance: minImportance, limit: most }, memory: Memory) {
    const found = await findMemories(memory, { text: query, limit: most, category, minImportance });
    noteAccess(
      memory,
      found.map(({ item }) => item.id),
    );
    return { memories: found.map(({ item }) => item) };
  },
  toText: ({ memories: found }) => toFoundText(found, 'No memory holds any of these words.'),
});

/** Finds what matters to a situation. */
export const recallByContext = defineTool({
  name: 'recall_by_context',
  title: 'Recall by context',
  description: 'Find memories that fit a message or situation',
  input: z.object({
    context: said(2_000).describe('any sentences'),
    limit: limit(5),
  }),
  output: OUTPUT,
  annotations: READS,
  async run({ context, limit: most }, memory: Memory) {
    const found = await findMemories(memory, { text: context, limit: most });
    return { memories: found.filter(({ relevance }) => relevance >= WEAK).map(({ item }) => item) };
  },
  toText: ({ memories: found }) => toFoundText(found, 'Nothing stored fits this.'),
});

/** Goes through memories in order. */
export const listMemories = defineTool({
  name: 'list_memories',
  title: 'List memories',
  description: 'Go through memories in order',
  input: z.object({
    category: shortText().optional(),
    tag: shortText().optional().describe('part of the tags'),
    min_importance: importance().optional(),
    sort_by: z.enum(['recent', 'importance', 'accessed']).default('recent'),
    limit: limit(20),
    offset: offset(),
  }),
  output: z.object({ memories, ...page }),
  annotations: READS,
  async run({ sort_by, limit: most, offset: start, ...filter }, memory: Memory) {
    const found = filtered(memory, filter);
    const rows = await inOrder(found.select(ITEM_COLUMNS), sort_by).limit(most).offset(start).execute();
    const { count } = await found
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    const total = Number(count);
    return { memories: rows.map((row) => toPresent(row)), total, ...toNextOffset(total, start, rows.length) };
  },
  toText(output) {
    if (output.total === 0) return 'There are no such memories.';
    return toMemoriesText(toPageText('memories', output, output.memories.length), output.memories);
  },
});

function toFoundText(found: readonly MemoryItem[], nothing: string): string {
  return toMemoriesText(found.length === 0 ? nothing : `${toMemoryCount(found.length)}.`, found);
}

interface Filter {
  readonly category?: string | undefined;
  readonly tag?: string | undefined;
  readonly min_importance?: number | undefined;
}

function filtered({ db, principal }: Memory, { category, tag, min_importance }: Filter) {
  let found = db.selectFrom('memories').where('principal', '=', principal);
  if (category !== undefined) found = found.where('category', '=', category);
  if (tag !== undefined) found = found.where(hasTagPart(tag));
  if (min_importance !== undefined) found = found.where('importance', '>=', min_importance);
  return found;
}

type Sorting = 'recent' | 'importance' | 'accessed';

function inOrder<O>(
  query: SelectQueryBuilder<MemoryTables, 'memories', O>,
  sorting: Sorting,
): SelectQueryBuilder<MemoryTables, 'memories', O> {
  switch (sorting) {
    case 'importance':
      return query.orderBy('importance', 'desc').orderBy('id', 'desc');
    case 'accessed':
      return query.orderBy('accessed_at', (order) => order.desc().nullsLast()).orderBy('id', 'desc');
    default:
      return query.orderBy('created_at', 'desc').orderBy('id', 'desc');
  }
}

/** Not waited for, and never a reason to fail: a count is worth less than the answer. */
function noteAccess(memory: Memory, ids: readonly number[]): void {
  if (ids.length === 0) return;
  memory.db
    .updateTable('memories')
    .set((of) => ({ accessed_at: memory.now(), access_count: of('access_count', '+', 1) }))
    .where('id', 'in', [...ids])
    .execute()
    .catch(() => {});
}

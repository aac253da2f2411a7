/** Finding memories: by words, by what is going on, or by going through them. */
import { type SelectQueryBuilder, sql } from 'kysely';
import * as z from 'zod';
import { defineTool, READS } from '../../builtin.ts';
import { said } from '../../said.ts';
import { importance, limit, saidLine, shortText } from '../fields.ts';
import { findMemories, ITEM_COLUMNS, MEMORY_ITEM, toMemoriesText, toMemoryItem } from '../memories.ts';
import type { Memory } from '../memory.ts';
import type { MemoryTables } from '../tables.ts';

const OUTPUT = z.object({ memories: z.array(MEMORY_ITEM) });

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
    const memories = found.map(({ item }) => item);
    noteAccess(
      memory,
      memories.map(({ id }) => id),
    );
    return { memories };
  },
  toText: ({ memories }) => toMemoriesText(memories, 'No memory holds any of these words.'),
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
  toText: ({ memories }) => toMemoriesText(memories, 'Nothing stored fits this.'),
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
  }),
  output: OUTPUT,
  annotations: READS,
  async run({ category, tag, min_importance, sort_by, limit: most }, memory: Memory) {
    let query = memory.db
      .selectFrom('memories')
      .select(ITEM_COLUMNS)
      .where('principal', '=', memory.principal)
      .limit(most);
    if (category !== undefined) query = query.where('category', '=', category);
    if (tag !== undefined) query = query.where(toContains(tag));
    if (min_importance !== undefined) query = query.where('importance', '>=', min_importance);
    const rows = await inOrder(query, sort_by).execute();
    return { memories: rows.map(toMemoryItem) };
  },
  toText: ({ memories }) => toMemoriesText(memories, 'There are no such memories.'),
});

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

function toContains(tag: string) {
  const pattern = `%${tag.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`lower(tags) like lower(${pattern}) escape '\\'`;
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

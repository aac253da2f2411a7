/** How much is remembered, and of what kind. */
import * as z from 'zod';
import { defineTool, READS } from '../../builtin.ts';
import { fence } from '../../fence.ts';
import { toPreview } from '../../text.ts';
import type { Memory } from '../context.ts';
import { toMemoryCount } from '../memories.ts';
import { countCategories } from '../totals.ts';

const NEWEST = 5;
const PREVIEW_LENGTH = 80;

/** Counts memories. */
export const memoryStats = defineTool({
  name: 'memory_stats',
  title: 'Memory statistics',
  description: 'Count memories by category and importance',
  input: z.object({}),
  output: z.object({
    total: z.int(),
    by_category: z.array(z.object({ category: z.string(), count: z.int() })),
    by_importance: z.array(z.object({ importance: z.int(), count: z.int() })),
    newest: z.array(z.object({ id: z.int(), preview: z.string() })),
  }),
  annotations: READS,
  async run(_, memory: Memory) {
    const by_category = await countCategories(memory);
    const by_importance = await countImportances(memory);
    const rows = await memory.db
      .selectFrom('memories')
      .select(['id', 'content'])
      .where('principal', '=', memory.principal)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(NEWEST)
      .execute();
    return {
      total: by_category.reduce((sum, { count }) => sum + count, 0),
      by_category: [...by_category],
      by_importance: [...by_importance],
      newest: rows.map(({ id, content }) => ({ id, preview: toPreview(content, PREVIEW_LENGTH) })),
    };
  },
  toText({ total, by_category, by_importance, newest }) {
    if (total === 0) return 'Nothing is remembered yet.';
    const lines = [
      `by category: ${by_category.map(({ category, count }) => `${category} ${count}`).join(', ')}`,
      `by importance: ${by_importance.map(({ importance, count }) => `${importance}: ${count}`).join(', ')}`,
      ...newest.map(({ id, preview }) => `#${id} ${preview}`),
    ];
    return `${toMemoryCount(total)}. ${fence(lines.join('\n'))}`;
  },
});

async function countImportances({ db, principal }: Memory) {
  return db
    .selectFrom('memories')
    .select(({ fn }) => ['importance', fn.countAll<number>().as('count')])
    .where('principal', '=', principal)
    .groupBy('importance')
    .orderBy('importance', 'desc')
    .execute();
}

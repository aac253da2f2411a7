/** Reads memories, and ranks those that fit a text by relevance, importance and recency. */
import * as z from 'zod';
import { fence } from '../fence.ts';
import { inRankOrder, toConditions } from '../ranked.ts';
import { toPresent } from '../text.ts';
import type { Memory } from './context.ts';

/** A memory as tools answer with it. */
export const MEMORY_ITEM = z.object({
  id: z.int(),
  content: z.string(),
  category: z.string(),
  importance: z.int(),
  tags: z.string().optional(),
  context: z.string().optional(),
  source: z.string().optional(),
  created_at: z.string(),
  updated_at: z.string(),
});

/** One memory as tools answer with it. */
export type MemoryItem = z.output<typeof MEMORY_ITEM>;

/** What is looked for. */
export interface MemoryQuery {
  readonly text: string;
  readonly limit: number;
  readonly category?: string | undefined;
  readonly minImportance?: number | undefined;
}

/** A memory, and how well it fits: 1 is the best there is. */
export interface RankedMemory {
  readonly item: MemoryItem;
  readonly relevance: number;
}

/** The columns of a memory that tools answer with. */
export const ITEM_COLUMNS = [
  'id',
  'content',
  'category',
  'importance',
  'tags',
  'context',
  'source',
  'created_at',
  'updated_at',
] as const;

/** More are looked at than asked for, so that an important one can overtake. */
const CANDIDATES_PER_HIT = 5;
const MIN_CANDIDATES = 50;
const HALF_LIFE_DAYS = 90;
const DAY_MS = 86_400_000;

/** The memories that fit a text, best first. */
export async function findMemories(memory: Memory, query: MemoryQuery): Promise<readonly RankedMemory[]> {
  const ranked = await memory.fullText.rank({
    table: 'memories',
    text: query.text,
    limit: Math.max(MIN_CANDIDATES, query.limit * CANDIDATES_PER_HIT),
    where: [
      ...toConditions({ principal: memory.principal, category: query.category }),
      ...toConditions({ importance: query.minImportance }, '>='),
    ],
  });
  const best = ranked[0]?.score ?? 0;
  const scores = new Map(ranked.map(({ id, score }) => [id, score]));
  const rows = await inRankOrder(ranked, (ids) => readMemories(memory, ids));
  const now = Date.parse(memory.now());
  return rows
    .map((row) => ({ item: toPresent(row), relevance: best > 0 ? (scores.get(row.id) ?? 0) / best : 1 }))
    .map((found) => ({ ...found, worth: found.relevance * toWeight(found.item, now) }))
    .sort((a, b) => b.worth - a.worth || b.item.id - a.item.id)
    .slice(0, query.limit);
}

/** Between 0.6 and 1: importance and age decide among what fits about equally well. */
function toWeight({ importance, updated_at }: MemoryItem, now: number): number {
  const days = Math.max(0, now - Date.parse(updated_at)) / DAY_MS;
  return 0.6 + 0.25 * (importance / 10) + 0.15 * 0.5 ** (days / HALF_LIFE_DAYS);
}

/** The ids are of the principal's own rows already; asked for both, SQLite would go through all of them. */
function readMemories({ db }: Memory, ids: number[]) {
  return db.selectFrom('memories').select(ITEM_COLUMNS).where('id', 'in', ids).execute();
}

/** Memories as text for a model, fenced, below a heading. */
export function toMemoriesText(heading: string, memories: readonly MemoryItem[]): string {
  if (memories.length === 0) return heading;
  return `${heading} ${fence(memories.map(toMemoryText).join('\n\n'))}`;
}

/** A number of memories, in words. */
export function toMemoryCount(count: number): string {
  return count === 1 ? '1 memory' : `${count} memories`;
}

function toMemoryText({ id, category, importance, updated_at, ...rest }: MemoryItem): string {
  const facts = [`#${id}`, category, `importance ${importance}`, updated_at.slice(0, 10)];
  const { content, context, tags, source } = rest;
  const lines = [`[${facts.join(' · ')}]`, content];
  if (context !== undefined) lines.push(`context: ${context}`);
  if (tags !== undefined) lines.push(`tags: ${tags}`);
  if (source !== undefined) lines.push(`source: ${source}`);
  return lines.join('\n');
}

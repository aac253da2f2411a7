/** Reads memories, and ranks those that fit a text by relevance, importance and recency. */
import * as z from 'zod';
import type { Condition } from '../../store/full-text.ts';
import { fence } from '../fence.ts';
import type { Memory } from './memory.ts';

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

type ItemRow = { readonly [Key in keyof Required<MemoryItem>]: Required<MemoryItem>[Key] | null };

/** More are looked at than asked for, so that an important one can overtake. */
const CANDIDATES_PER_HIT = 5;
const MIN_CANDIDATES = 50;
const HALF_LIFE_DAYS = 90;
const DAY_MS = 86_400_000;

/** The memories that fit a text, best first. */
export async function findMemories(memory: Memory, query: MemoryQuery): Promise<readonly RankedMemory[]> {
  const hits = await memory.fullText.rank({
    table: 'memories',
    text: query.text,
    limit: Math.max(MIN_CANDIDATES, query.limit * CANDIDATES_PER_HIT),
    where: toConditions(memory, query),
  });
  const best = hits[0]?.score ?? 0;
  const items = await readMemories(
    memory,
    hits.map(({ id }) => id),
  );
  const now = Date.parse(memory.now());
  return hits
    .flatMap(({ id, score }) => {
      const item = items.get(id);
      return item ? [{ item, relevance: best > 0 ? score / best : 1 }] : [];
    })
    .map((ranked) => ({ ...ranked, worth: ranked.relevance * toWeight(ranked.item, now) }))
    .sort((a, b) => b.worth - a.worth || b.item.id - a.item.id)
    .slice(0, query.limit);
}

/** Between 0.6 and 1: importance and age decide among what fits about equally well. */
function toWeight({ importance, updated_at }: MemoryItem, now: number): number {
  const days = Math.max(0, now - Date.parse(updated_at)) / DAY_MS;
  return 0.6 + 0.25 * (importance / 10) + 0.15 * 0.5 ** (days / HALF_LIFE_DAYS);
}

function toConditions(memory: Memory, { category, minImportance }: MemoryQuery): readonly Condition[] {
  const own: Condition = { column: 'principal', is: '=', value: memory.principal };
  return [
    own,
    ...(category === undefined ? [] : [{ column: 'category', is: '=', value: category } as const]),
    ...(minImportance === undefined
      ? []
      : [{ column: 'importance', is: '>=', value: minImportance } as const]),
  ];
}

/** The ids are of the principal's own rows already; asked for both, SQLite would go through all of them. */
async function readMemories(
  memory: Memory,
  ids: readonly number[],
): Promise<ReadonlyMap<number, MemoryItem>> {
  if (ids.length === 0) return new Map();
  const rows = await memory.db
    .selectFrom('memories')
    .select(ITEM_COLUMNS)
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, toMemoryItem(row)]));
}

/** A row without what is empty in it. */
export function toMemoryItem(row: ItemRow): MemoryItem {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as MemoryItem;
}

/** Memories as text for a model, fenced; `nothing` is said when there are none. */
export function toMemoriesText(memories: readonly MemoryItem[], nothing: string): string {
  if (memories.length === 0) return nothing;
  const heading = memories.length === 1 ? '1 memory.' : `${memories.length} memories.`;
  return `${heading} ${fence(memories.map(toMemoryText).join('\n\n'))}`;
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

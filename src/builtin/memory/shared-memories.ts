/** Memories as contacts may have them. */
import type { SharedItem } from '../shared-item.ts';
import { toPresent, toPreview } from '../text.ts';
import { type MemoryParts, openMemory } from './context.ts';
import { ITEM_COLUMNS } from './memories.ts';

/** Reads a memory to be sent. */
export type ReadMemory = (id: number) => Promise<SharedItem | undefined>;

const TITLE_LENGTH = 80;

/** Creates the reader; a memory of somebody else does not exist for it. */
export function createMemoryReader(parts: MemoryParts): ReadMemory {
  return async (id) => {
    const { db, principal } = await openMemory(parts);
    const row = await db
      .selectFrom('memories')
      .select(ITEM_COLUMNS)
      .where('principal', '=', principal)
      .where('id', '=', id)
      .executeTakeFirst();
    return row && { title: toPreview(row.content, TITLE_LENGTH), content: toPresent(row) };
  };
}

/** Memories as contacts may have them. */
import type { JsonObject } from '../../model/json.ts';
import { ITEM_COLUMNS, toMemoryItem } from './memories.ts';
import { type MemoryParts, openMemory } from './memory.ts';

/** A memory on its way to somebody else. */
export interface MemoryCopy {
  readonly title: string;
  readonly content: JsonObject;
}

/** Reads a memory to be sent. */
export type ReadMemoryCopy = (id: number) => Promise<MemoryCopy | undefined>;

const TITLE_LENGTH = 80;

/** Creates the reader; a memory of somebody else does not exist for it. */
export function createMemoryReader(parts: MemoryParts): ReadMemoryCopy {
  return async (id) => {
    const { db, principal } = await openMemory(parts);
    const row = await db
      .selectFrom('memories')
      .select(ITEM_COLUMNS)
      .where('principal', '=', principal)
      .where('id', '=', id)
      .executeTakeFirst();
    return row && { title: row.content.slice(0, TITLE_LENGTH), content: { ...toMemoryItem(row) } };
  };
}

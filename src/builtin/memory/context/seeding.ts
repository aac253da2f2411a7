/** Writes the protected sections when they are not there yet. */
import type { Kysely } from 'kysely';
import type { Memory } from '../context.ts';
import type { MemoryTables } from '../tables.ts';
import { PROTECTED_SECTIONS } from './seeds.ts';

/** Writes what is missing, once, whoever else opens the same memory at this moment. */
export async function seedSections(memory: Memory): Promise<void> {
  // Asked without the write lock first, since nothing is missing on all runs but the first.
  if ((await findMissing(memory.db, memory.principal)).length === 0) return;
  await memory.db.transaction().execute(async (transaction) => {
    const missing = await findMissing(transaction, memory.principal);
    if (missing.length === 0) return;
    const now = memory.now();
    const rows = missing.map(({ key, title, sortOrder, toContent }) => ({
      principal: memory.principal,
      section_key: key,
      section_title: title,
      content: toContent(memory.namespace),
      sort_order: sortOrder,
      enabled: 1,
      device_id: null,
      created_at: now,
      updated_at: now,
    }));
    await transaction.insertInto('context_sections').values(rows).execute();
  });
}

async function findMissing(db: Kysely<MemoryTables>, principal: string) {
  const rows = await db
    .selectFrom('context_sections')
    .select('section_key')
    .where('principal', '=', principal)
    .where('device_id', 'is', null)
    .execute();
  const present = new Set(rows.map(({ section_key }) => section_key));
  return PROTECTED_SECTIONS.filter(({ key }) => !present.has(key));
}

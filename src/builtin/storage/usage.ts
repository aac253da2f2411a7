/** What a principal uses of the quota, kept as one number that only ever changes together with what it counts. */
import type { StorageDb } from './parts.ts';

/** Adds bytes, less than none when they are given back; false, and nothing is added, when they do not fit. */
export async function addUsage(
  db: StorageDb,
  principal: string,
  bytes: number,
  quota?: number,
): Promise<boolean> {
  await db
    .insertInto('storage_usage')
    .values({ principal, bytes: 0 })
    .onConflict((conflict) => conflict.column('principal').doNothing())
    .execute();
  // Asked and changed in one statement, so that no two uploads can take the same room.
  let change = db
    .updateTable('storage_usage')
    .set((row) => ({ bytes: row('bytes', '+', bytes) }))
    .where('principal', '=', principal);
  if (quota !== undefined) change = change.where('bytes', '<=', quota - bytes);
  const { numUpdatedRows } = await change.executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The key that links are signed with, made once and kept in the store, so that links outlive a restart. */
import { randomBytes } from 'node:crypto';
import type { StorageDb } from './parts.ts';

const NAME = 'link-key';
const KEY_BYTES = 32;

/** Finds the key, or makes it; two processes that start at once end with the same. */
export async function findSecret(db: StorageDb): Promise<Buffer> {
  const found = await readSecret(db);
  if (found) return found;
  await db
    .insertInto('storage_settings')
    .values({ name: NAME, value: randomBytes(KEY_BYTES).toString('base64') })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await readSecret(db)) ?? randomBytes(KEY_BYTES);
}

async function readSecret(db: StorageDb): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('storage_settings')
    .select('value')
    .where('name', '=', NAME)
    .executeTakeFirst();
  return row && Buffer.from(row.value, 'base64');
}

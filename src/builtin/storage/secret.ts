/** The key that links are signed with, made once and kept in the store, sealed where something seals. */
import { randomBytes } from 'node:crypto';
import type { Cipher } from '../../store/cipher.ts';
import type { StorageDb } from './parts.ts';

const NAME = 'link-key';
const ABOUT = 'storage link key';
const KEY_BYTES = 32;

/** Finds the key, or makes it; two processes that start at once end with the same. */
export async function findSecret(db: StorageDb, cipher?: Cipher): Promise<Buffer> {
  const kept = await readValue(db);
  const found = kept === undefined ? undefined : await open(kept, cipher);
  if (found) return found;
  const text = randomBytes(KEY_BYTES).toString('base64');
  const value = cipher ? await cipher.seal(text, ABOUT) : text;
  // One that our key does not open is of no use to anybody any more: links made with it have ended.
  if (kept !== undefined) await db.deleteFrom('storage_settings').where('value', '=', kept).execute();
  await db
    .insertInto('storage_settings')
    .values({ name: NAME, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await open((await readValue(db)) ?? value, cipher)) ?? Buffer.from(text, 'base64');
}

async function open(value: string, cipher: Cipher | undefined): Promise<Buffer | undefined> {
  const text = cipher ? await cipher.open(value, ABOUT) : value;
  const key = text === undefined ? undefined : Buffer.from(text, 'base64');
  return key?.length === KEY_BYTES ? key : undefined;
}

async function readValue(db: StorageDb): Promise<string | undefined> {
  const row = await db
    .selectFrom('storage_settings')
    .select('value')
    .where('name', '=', NAME)
    .executeTakeFirst();
  return row?.value;
}

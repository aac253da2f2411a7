/** Counts the files of each content, and deletes a content with its last file. */
import type { StorageDb, StorageParts } from './parts.ts';

/** Notes a content before it is moved into place, so that a crash in between leaves nothing unknown behind. */
export async function noteContent(db: StorageDb, address: string): Promise<void> {
  await db
    .insertInto('storage_contents')
    .values({ address, refs: 0 })
    .onConflict((conflict) => conflict.column('address').doNothing())
    .execute();
}

/** Counts one file more. */
export async function holdContent(db: StorageDb, address: string): Promise<void> {
  await db
    .insertInto('storage_contents')
    .values({ address, refs: 1 })
    .onConflict((conflict) =>
      conflict.column('address').doUpdateSet((row) => ({ refs: row('storage_contents.refs', '+', 1) })),
    )
    .execute();
}

/** Counts one file less. */
export async function releaseContent(db: StorageDb, address: string): Promise<void> {
  await db
    .updateTable('storage_contents')
    .set((row) => ({ refs: row('refs', '-', 1) }))
    .where('address', '=', address)
    .execute();
}

/** Deletes a content once no file has it. */
export async function collectContent({ db, backend }: StorageParts, address: string): Promise<void> {
  if (backend.shared) {
    // An upload of the same content moves it into place under the same lock, so the two cannot cross.
    await db.transaction().execute(async (transaction) => {
      if (await forgetContent(transaction, address)) await backend.delete(address);
    });
    return;
  }
  const row = await db
    .selectFrom('storage_contents')
    .select('refs')
    .where('address', '=', address)
    .executeTakeFirst();
  if (!row || Number(row.refs) > 0) return;
  // Deleted before it is forgotten: should this end half way, the next sweep finds it again.
  await backend.delete(address);
  await forgetContent(db, address);
}

/** Contents of this backend that no file has. */
export async function findLooseContents(
  { db, backend }: StorageParts,
  limit: number,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('storage_contents')
    .select('address')
    .where('refs', '<=', 0)
    .where('address', 'like', `${backend.kind}:%`)
    .limit(limit)
    .execute();
  return rows.map(({ address }) => address);
}

async function forgetContent(db: StorageDb, address: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('storage_contents')
    .where('address', '=', address)
    .where('refs', '<=', 0)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

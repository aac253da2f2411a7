/** Asks SQLite whether a store's file is whole. */
import { sql } from 'kysely';
import type { Store } from '../store.ts';

/** What is wrong with it, or undefined; reads the whole file. */
export async function findDamage(store: Pick<Store, 'tables'>): Promise<string | undefined> {
  const { db } = await store.tables<object>('gateway', []);
  const { rows } = await sql<{ readonly quick_check: string }>`pragma quick_check(3)`.execute(db);
  const faults = rows.map((row) => row.quick_check).filter((text) => text !== 'ok');
  return faults.length > 0 ? faults.join('; ') : undefined;
}

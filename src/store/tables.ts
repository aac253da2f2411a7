/** Opens the tables of one part of the house in a database that all parts share. */
import type { Kysely } from 'kysely';
import { createSqliteFullText } from './dialects/sqlite-full-text.ts';
import { type Migration, migrate } from './migrate.ts';
import type { Database, Store } from './store.ts';

/** Creates the opener of one database; each owner's steps are looked at once. */
export function createTableOpener(db: Kysely<unknown>, path: string): Store['tables'] {
  const fullText = createSqliteFullText(db);
  const opened = new Map<string, Promise<void>>();
  const prepare = (owner: string, migrations: readonly Migration[]): Promise<void> => {
    const known = opened.get(owner);
    if (known) return known;
    const preparing = migrate(db, { path, migrations });
    opened.set(owner, preparing);
    // What failed now (a lock, a full disk) may succeed when it is asked for again.
    preparing.catch(() => opened.delete(owner));
    return preparing;
  };
  return async <T>(owner: string, migrations: readonly Migration[]): Promise<Database<T>> => {
    await prepare(owner, migrations);
    return { db: db as Kysely<T>, fullText };
  };
}

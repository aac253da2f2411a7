/** Tables that are forgotten when the process ends; the database behind them opens when the first are asked for. */
import { Kysely } from 'kysely';
import { createLibsqlDialect, openLibsql } from './dialects/libsql.ts';
import type { Store } from './store.ts';
import { createTableOpener } from './tables.ts';

const NAME = ':memory:';

/** Creates the opener, and the way to let go of everything. */
export function createMemoryTables(): Pick<Store, 'tables'> & { close(): Promise<void> } {
  let opening: Promise<{ readonly db: Kysely<unknown>; readonly tables: Store['tables'] }> | undefined;
  const open = async () => {
    const connection = await openLibsql(NAME);
    await connection.exec('pragma foreign_keys = on');
    const db = new Kysely<unknown>({ dialect: createLibsqlDialect(connection, NAME) });
    return { db, tables: createTableOpener(db, NAME) };
  };
  return {
    async tables(owner, migrations) {
      opening ??= open().catch((error: unknown) => {
        // What failed now may succeed when it is asked for again.
        opening = undefined;
        throw error;
      });
      return (await opening).tables(owner, migrations);
    },
    async close() {
      const opened = await opening?.catch(() => undefined);
      opening = undefined;
      await opened?.db.destroy();
    },
  };
}

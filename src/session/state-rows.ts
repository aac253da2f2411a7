/** Keeps what modes remember in tables of the store, so that a client finds it again after a restart. */
import type { Kysely } from 'kysely';
import type { Now } from '../lib/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { Migration } from '../store/migrate.ts';
import type { Store } from '../store/store.ts';
import type { StateRows } from './mode-states.ts';

interface StateTables {
  readonly mode_states: {
    readonly key: string;
    /** JSON text. */
    readonly state: string;
    /** When it was last of use, in milliseconds since 1970. */
    readonly used_at: number;
  };
}

const MIGRATIONS: readonly Migration[] = [
  {
    owner: 'modes',
    id: '0001-mode-states',
    async up(db) {
      await db.schema
        .createTable('mode_states')
        .addColumn('key', 'text', (column) => column.primaryKey())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('used_at', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
];

/** Reading alone marks a row as used, but a write for every request would be too much. */
const TOUCH_AFTER_MS = 600_000;
/** Rows older than any lifetime. */
const FORGOTTEN_AFTER_MS = 90 * 86_400_000;

/** Opens the rows; the tables are made on first use. */
export function createStateRows(store: Pick<Store, 'tables'>, now: Now): StateRows {
  const open = () => store.tables<StateTables>('modes', MIGRATIONS).then(({ db }) => db);
  return {
    async read(key, usedSince) {
      const db = await open();
      const row = await findRow(db, key, usedSince);
      if (row && now() - row.used_at > TOUCH_AFTER_MS) {
        await db.updateTable('mode_states').set({ used_at: now() }).where('key', '=', key).execute();
      }
      return row && parseState(row.state);
    },
    async update(key, usedSince, change) {
      const db = await open();
      return db.transaction().execute(async (transaction) => {
        const row = await findRow(transaction, key, usedSince);
        const next = change(row && parseState(row.state));
        const values = { state: JSON.stringify(next), used_at: now() };
        await transaction
          .insertInto('mode_states')
          .values({ key, ...values })
          .onConflict((conflict) => conflict.column('key').doUpdateSet(values))
          .execute();
        await transaction
          .deleteFrom('mode_states')
          .where('used_at', '<', now() - FORGOTTEN_AFTER_MS)
          .execute();
        return next;
      });
    },
  };
}

function findRow(db: Kysely<StateTables>, key: string, usedSince: number) {
  return db
    .selectFrom('mode_states')
    .select(['state', 'used_at'])
    .where('key', '=', key)
    .where('used_at', '>=', usedSince)
    .executeTakeFirst();
}

/** A row that cannot be read counts as nothing remembered. */
function parseState(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Where processes of one home agree on who runs the servers: one row in the store, replaced in one step. */
import { toDigest } from '../../model/ids.ts';
import type { Migration } from '../../store/migrate.ts';
import type { Store } from '../../store/store.ts';

/** The row of those who would run the same servers. */
export interface MeetingPlace {
  /** Where whoever runs them listens, if anybody ever did. */
  find(): Promise<string | undefined>;
  /** Puts another address in place of the one that was found; false when somebody else was faster. */
  claim(found: string | undefined, address: string): Promise<boolean>;
}

interface PlaceTables {
  readonly meeting_places: { readonly key: string; readonly address: string };
}

const MIGRATIONS: readonly Migration[] = [
  {
    owner: 'share',
    id: '0001-meeting-places',
    async up(db) {
      await db.schema
        .createTable('meeting_places')
        .addColumn('key', 'text', (column) => column.primaryKey())
        .addColumn('address', 'text', (column) => column.notNull())
        .execute();
    },
  },
];

/** Opens the place of those who agree on all the given facts. */
export function openMeetingPlace(store: Pick<Store, 'tables'>, facts: readonly unknown[]): MeetingPlace {
  const key = toDigest(JSON.stringify(facts), 32);
  const open = () => store.tables<PlaceTables>('share', MIGRATIONS).then(({ db }) => db);
  return {
    async find() {
      const db = await open();
      const row = await db
        .selectFrom('meeting_places')
        .select('address')
        .where('key', '=', key)
        .executeTakeFirst();
      return row?.address;
    },
    async claim(found, address) {
      const db = await open();
      if (found === undefined) {
        const inserted = await db
          .insertInto('meeting_places')
          .values({ key, address })
          .onConflict((conflict) => conflict.column('key').doNothing())
          .executeTakeFirst();
        return inserted.numInsertedOrUpdatedRows === 1n;
      }
      const updated = await db
        .updateTable('meeting_places')
        .set({ address })
        .where('key', '=', key)
        .where('address', '=', found)
        .executeTakeFirst();
      return updated.numUpdatedRows === 1n;
    },
  };
}

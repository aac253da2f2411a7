/** Writes to the ledger's tables; safe for several processes at once. */
import type { Kysely } from 'kysely';
import { addDays, type ChangeRow, type DayRow, type LedgerTables, type SurfaceRow } from './tables.ts';

/** Changes older than this are forgotten. */
const KEPT_DAYS = 400;

/** Adds to a day of a client. */
export async function addToDay(db: Kysely<LedgerTables>, day: DayRow): Promise<void> {
  const isSame = {
    day: day.day,
    principal: day.principal,
    client: day.client,
    endpoint: day.endpoint,
  };
  await db.transaction().execute(async (transaction) => {
    const before = await transaction
      .selectFrom('ledger_days')
      .selectAll()
      .where((row) => row.and(isSame))
      .executeTakeFirst();
    if (!before) await transaction.insertInto('ledger_days').values(day).execute();
    else
      await transaction
        .updateTable('ledger_days')
        .set(addDays(before, day))
        .where((row) => row.and(isSame))
        .execute();
  });
}

/** Remembers the surface shown last; answers with the one before. */
export async function replaceSurface(
  db: Kysely<LedgerTables>,
  surface: SurfaceRow,
): Promise<SurfaceRow | undefined> {
  const { principal, client, endpoint, digest, tools } = surface;
  return db.transaction().execute(async (transaction) => {
    const before = await transaction
      .selectFrom('ledger_surfaces')
      .selectAll()
      .where((row) => row.and({ principal, client, endpoint }))
      .executeTakeFirst();
    if (before?.digest === digest) return before;
    await transaction
      .insertInto('ledger_surfaces')
      .values(surface)
      .onConflict((conflict) =>
        conflict.columns(['principal', 'client', 'endpoint']).doUpdateSet({ digest, tools }),
      )
      .execute();
    return before;
  });
}

/** Adds a change, and lets go of what is very old. */
export async function addChange(db: Kysely<LedgerTables>, change: ChangeRow): Promise<void> {
  const oldest = new Date(Date.parse(change.at) - KEPT_DAYS * 86_400_000).toISOString();
  await db.insertInto('ledger_changes').values(change).execute();
  await db.deleteFrom('ledger_changes').where('at', '<', oldest).execute();
}

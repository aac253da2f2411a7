/** Writes to the ledger's tables, within the transaction of whoever calls; safe for several processes at once. */
import type { Kysely } from 'kysely';
import { DAY_MS, KEPT_DAYS, toDayText } from './days.ts';
import { addDays, type ChangeRow, type DayRow, type LedgerTables, type SurfaceRow } from './tables.ts';

/** Adds to a day of a client. */
export async function addToDay(db: Kysely<LedgerTables>, day: DayRow): Promise<void> {
  const isSame = {
    day: day.day,
    principal: day.principal,
    client: day.client,
    endpoint: day.endpoint,
  };
  const before = await db
    .selectFrom('ledger_days')
    .selectAll()
    .where((row) => row.and(isSame))
    .executeTakeFirst();
  if (!before) await db.insertInto('ledger_days').values(day).execute();
  else
    await db
      .updateTable('ledger_days')
      .set(addDays(before, day))
      .where((row) => row.and(isSame))
      .execute();
}

/** Remembers the surface shown last; answers with the one before. */
export async function replaceSurface(
  db: Kysely<LedgerTables>,
  surface: SurfaceRow,
): Promise<SurfaceRow | undefined> {
  const { principal, client, endpoint, digest, tools } = surface;
  const before = await db
    .selectFrom('ledger_surfaces')
    .selectAll()
    .where((row) => row.and({ principal, client, endpoint }))
    .executeTakeFirst();
  if (before?.digest === digest) return before;
  await db
    .insertInto('ledger_surfaces')
    .values(surface)
    .onConflict((conflict) =>
      conflict.columns(['principal', 'client', 'endpoint']).doUpdateSet({ digest, tools }),
    )
    .execute();
  return before;
}

/** Adds a change. */
export async function addChange(db: Kysely<LedgerTables>, change: ChangeRow): Promise<void> {
  await db.insertInto('ledger_changes').values(change).execute();
}

/** Lets go of what is very old, and of the surfaces of clients that have no day left. */
export async function forgetOld(db: Kysely<LedgerTables>, now: number): Promise<void> {
  const at = now - KEPT_DAYS * DAY_MS;
  const oldest = toDayText(at);
  await db.deleteFrom('ledger_changes').where('at', '<', new Date(at).toISOString()).execute();
  const old = db.selectFrom('ledger_days').where('day', '<', oldest);
  const leaving = await old.select(WHO).distinct().execute();
  if (leaving.length === 0) return;
  await db.deleteFrom('ledger_days').where('day', '<', oldest).execute();
  const staying = await db.selectFrom('ledger_days').select(WHO).distinct().execute();
  const known = new Set(staying.map(toKey));
  for (const who of leaving) {
    if (known.has(toKey(who))) continue;
    await db
      .deleteFrom('ledger_surfaces')
      .where((row) => row.and({ ...who }))
      .execute();
  }
}

type Who = Pick<SurfaceRow, (typeof WHO)[number]>;

const WHO = ['principal', 'client', 'endpoint'] as const;

function toKey({ principal, client, endpoint }: Who): string {
  return JSON.stringify([principal, client, endpoint]);
}

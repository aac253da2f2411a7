/** How the outbox stands. */
import type { Sharing } from '../context.ts';

/** How much waits, by contact. */
export async function countWaiting({ db, principal }: Sharing): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('sharing_outbox')
    .select((row) => ['contact_id', row.fn.countAll<number>().as('count')])
    .where('principal', '=', principal)
    .where('state', '=', 'pending')
    .groupBy('contact_id')
    .execute();
  return new Map(rows.map(({ contact_id, count }) => [contact_id, count]));
}

/** How much is in which state. */
export async function countOutbox({
  db,
  principal,
}: Sharing): Promise<{ waiting: number; delivered: number; failed: number }> {
  const rows = await db
    .selectFrom('sharing_outbox')
    .select((row) => ['state', row.fn.countAll<number>().as('count')])
    .where('principal', '=', principal)
    .groupBy('state')
    .execute();
  const countOf = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
  return { waiting: countOf('pending'), delivered: countOf('delivered'), failed: countOf('failed') };
}

/** What failed, the newest first. */
export function listFailures(
  { db, principal }: Sharing,
  limit: number,
): Promise<{ contact: string; title: string; reason: string | null }[]> {
  return db
    .selectFrom('sharing_outbox as item')
    .innerJoin('sharing_contacts as contact', 'contact.id', 'item.contact_id')
    .select(['contact.name as contact', 'item.title', 'item.reason'])
    .where('item.principal', '=', principal)
    .where('item.state', '=', 'failed')
    .orderBy('item.seq', 'desc')
    .limit(limit)
    .execute();
}

/** What waits because they did not take it, by contact and by why. */
export async function countPutOff({
  db,
  principal,
}: Sharing): Promise<{ contact: string; count: number; reason: string }[]> {
  const rows = await db
    .selectFrom('sharing_outbox as item')
    .innerJoin('sharing_contacts as contact', 'contact.id', 'item.contact_id')
    .select((row) => ['contact.name as contact', 'item.reason', row.fn.countAll<number>().as('count')])
    .where('item.principal', '=', principal)
    .where('item.state', '=', 'pending')
    .where('item.reason', 'is not', null)
    .groupBy(['contact.id', 'contact.name', 'item.reason'])
    .orderBy('contact.id')
    .execute();
  return rows.map(({ contact, count, reason }) => ({ contact, count, reason: reason ?? '' }));
}

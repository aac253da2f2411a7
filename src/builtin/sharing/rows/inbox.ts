/** What came, as it is read here. */
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { Sharing } from '../context.ts';
import { FULL_SHARE, UNREAD_LIMIT } from '../limits.ts';
import { clear, type Received, removeFiles } from './received.ts';

/** An item and who sent it. */
export type Held = Received & { readonly from: string };

/** Which items to list. */
export interface InboxFilter {
  readonly unread_only: boolean;
  readonly before?: number | undefined;
  readonly limit: number;
}

/** What is there, the newest first. */
export function listHeld(sharing: Sharing, { unread_only, before, limit }: InboxFilter): Promise<Held[]> {
  return selectItems(sharing)
    .where('item.state', '=', 'held')
    .$if(unread_only, (query) => query.where('item.read_at', 'is', null))
    .$if(before !== undefined, (query) => query.where('item.id', '<', before ?? 0))
    .orderBy('item.id', 'desc')
    .limit(limit)
    .execute();
}

/** The item with a number; refuses what is unknown or gone, and says what became of it. */
export async function findHeld(sharing: Sharing, id: number): Promise<Held> {
  const found = Number.isSafeInteger(id)
    ? await selectItems(sharing)
        .where('item.id', '=', id)
        .where('item.state', '!=', 'arriving')
        .executeTakeFirst()
    : undefined;
  if (found?.state === 'held') return found;
  throw new GatewayError(
    'INVALID_PARAMS',
    found
      ? `inbox item ${id} ${toFate(found)}; ask ${found.from} to share it again`
      : `there is nothing with the id ${id} in the inbox; call it without an id to see it`,
  );
}

function toFate({ state, from }: Held): string {
  if (state === 'revoked') return `was revoked by ${from} and is gone`;
  return state === 'used' ? 'could be read once, and was' : 'was removed';
}

function selectItems({ db, principal }: Sharing) {
  return db
    .selectFrom('sharing_received as item')
    .innerJoin('sharing_contacts as contact', 'contact.id', 'item.contact_id')
    .selectAll('item')
    .select('contact.name as from')
    .where('item.principal', '=', principal);
}

/** Notes that items were read. */
export async function noteRead({ db, now }: Sharing, rows: readonly Held[]): Promise<void> {
  const ids = rows.filter(({ read_at }) => read_at === null).map(({ id }) => id);
  if (ids.length === 0) return;
  await db
    .updateTable('sharing_received')
    .set({ read_at: now().toISOString() })
    .where('id', 'in', ids)
    .execute();
}

/** Removes an item for good and gives its room back; that it was here is remembered, so that it does not come again. */
export async function removeHeld(sharing: Sharing, id: number): Promise<Held> {
  const held = await findHeld(sharing, id);
  // Whoever read or revoked it in between was first, and has dealt with its file.
  if (!(await clear(sharing.db, id, 'removed'))) await findHeld(sharing, id);
  await removeFiles(sharing, held);
  return held;
}

/** How much is there, and how much of it was not read. */
export async function countInbox({ db, principal }: Sharing): Promise<{ held: number; unread: number }> {
  return db
    .selectFrom('sharing_received')
    .select((row) => [
      row.fn.countAll<number>().as('held'),
      row.fn.countAll<number>().filterWhere('read_at', 'is', null).as('unread'),
    ])
    .where('principal', '=', principal)
    .where('state', '=', 'held')
    .executeTakeFirstOrThrow();
}

/** The names of contacts who have hardly any room left here. */
export async function listFull({ db, principal, intake }: Sharing): Promise<string[]> {
  const rows = await db
    .selectFrom('sharing_received as item')
    .innerJoin('sharing_contacts as contact', 'contact.id', 'item.contact_id')
    .select((row) => [
      'contact.name',
      row.fn.sum<number>('item.size').as('bytes'),
      row.fn
        .countAll<number>()
        .filterWhere('item.read_at', 'is', null)
        .filterWhere('item.state', 'in', ['arriving', 'held'])
        .as('unread'),
    ])
    .where('item.principal', '=', principal)
    .where('contact.blocked', '=', 0)
    .groupBy(['contact.id', 'contact.name'])
    .orderBy('contact.id')
    .execute();
  const full = rows.filter(
    ({ bytes, unread }) => unread >= UNREAD_LIMIT || bytes > intake.quota * FULL_SHARE,
  );
  return full.map(({ name }) => name);
}

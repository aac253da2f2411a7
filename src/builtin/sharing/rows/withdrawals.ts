/** Taking things back from a contact: some of them, or all and for good. */
import type { Sharing, SharingDb } from '../context.ts';
import { type Contact, setBlocked } from './contacts.ts';
import { createItemId, insertOutgoing, type Outgoing } from './outbox.ts';

/** Which shares to take back: one item, or all there are. */
export interface Withdrawal {
  readonly shareType?: string | undefined;
  readonly refId?: string | undefined;
}

/** How many never left, and how many are to be removed at the other end. */
export interface Withdrawn {
  readonly withdrawn: number;
  readonly revoked: number;
}

/** Takes shares back: those that never left vanish, for the others a revocation is put into the outbox. */
export async function withdraw(
  sharing: Sharing,
  contact: Pick<Contact, 'id'>,
  what: Withdrawal,
): Promise<Withdrawn> {
  const taken = await sharing.db
    .transaction()
    .execute((transaction) => withdrawItems({ ...sharing, db: transaction }, contact.id, what));
  return clearUp(sharing, taken);
}

/** Blocks a contact and takes back everything, both or neither: nobody puts anything into the outbox in between. */
export async function blockContact(sharing: Sharing, contact: Pick<Contact, 'id'>): Promise<Withdrawn> {
  const taken = await sharing.db.transaction().execute(async (transaction) => {
    const inside = { ...sharing, db: transaction };
    await setBlocked(inside, contact.id, true);
    await withdrawWords(inside, contact.id);
    return withdrawItems(inside, contact.id, {});
  });
  return clearUp(sharing, taken);
}

/** A share that was taken back. */
type Taken = Pick<Outgoing, 'item_id' | 'title' | 'sent_at' | 'file_sha256'>;

/** Part of a transaction. */
type Inside = Pick<Sharing, 'principal' | 'now'> & { readonly db: SharingDb };

async function withdrawItems(inside: Inside, contactId: number, what: Withdrawal): Promise<readonly Taken[]> {
  const { db, principal } = inside;
  const { shareType, refId } = what;
  const chosen = db
    .selectFrom('sharing_outbox')
    .where('principal', '=', principal)
    // Of what failed, a part may lie at the other end and take up their room.
    .where((row) =>
      row.or([
        row('state', 'in', ['pending', 'delivered']),
        row.and([row('state', '=', 'failed'), row('sent_at', 'is not', null)]),
      ]),
    )
    .where('contact_id', '=', contactId)
    .where('kind', '=', 'item')
    .$if(shareType !== undefined, (query) => query.where('share_type', '=', shareType ?? null))
    .$if(refId !== undefined, (query) => query.where('ref_id', '=', refId ?? null));
  const taken = await chosen.select(['item_id', 'title', 'sent_at', 'file_sha256']).execute();
  await db
    .updateTable('sharing_outbox')
    .set({ state: 'withdrawn', body: '' })
    .where('seq', 'in', chosen.select('seq'))
    .execute();
  for (const { item_id, title, sent_at } of taken) {
    if (sent_at === null) continue;
    const body = JSON.stringify({ of: item_id });
    await insertOutgoing(inside, contactId, { itemId: createItemId(), kind: 'revoke', body, title });
  }
  return taken;
}

async function withdrawWords({ db, principal }: Inside, contactId: number): Promise<void> {
  await db
    .updateTable('sharing_outbox')
    .set({ state: 'withdrawn', body: '' })
    .where('principal', '=', principal)
    .where('state', '=', 'pending')
    .where('contact_id', '=', contactId)
    .where('kind', 'in', ['message', 'edit'])
    .execute();
}

async function clearUp({ files }: Sharing, taken: readonly Taken[]): Promise<Withdrawn> {
  for (const { file_sha256, item_id } of taken)
    if (file_sha256 !== null) await files.remove('outgoing', item_id);
  const withdrawn = taken.filter(({ sent_at }) => sent_at === null).length;
  return { withdrawn, revoked: taken.length - withdrawn };
}

/** What waits for contacts: kept until they have it, whatever happens in between. */
import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { Sharing, SharingDb } from '../context.ts';
import { OUTBOX_LIMIT } from '../limits.ts';
import type { Refusal } from '../peer/messages.ts';
import type { ItemKind, OutboxRow, Permission } from '../tables.ts';
import { type Contact, isLetIn, selectLetIn, toBlockedError } from './contacts.ts';

/** Something on its way. */
export type Outgoing = Selectable<OutboxRow>;

/** Files have a way of their own, so that a large one does not hold up a message. */
export type Lane = 'files' | 'words';

/** What to send. */
export interface Parcel {
  readonly itemId: string;
  readonly kind: ItemKind;
  /** JSON text. */
  readonly body: string;
  readonly title?: string | undefined;
  readonly shareType?: string | undefined;
  readonly refId?: string | undefined;
  readonly permissions?: Permission | undefined;
  readonly file?: { readonly name: string; readonly sha256: string; readonly size: number } | undefined;
}

/** A new id of an item: 32 hex digits. */
export function createItemId(): string {
  return randomBytes(16).toString('hex');
}

/** Puts something into the outbox, unless the contact was blocked meanwhile or too much waits for them. */
export function addOutgoing(
  sharing: Pick<Sharing, 'db' | 'principal' | 'now'>,
  { id, name }: Pick<Contact, 'id' | 'name'>,
  parcel: Parcel,
): Promise<void> {
  return sharing.db.transaction().execute(async (transaction) => {
    const inside = { ...sharing, db: transaction };
    if (!(await isLetIn(transaction, id))) throw toBlockedError(name);
    if ((await countPending(inside, id)) >= OUTBOX_LIMIT) {
      const message = `${OUTBOX_LIMIT} items wait for ${name}; wait until they come online`;
      throw new GatewayError('TOO_BUSY', message);
    }
    await insertOutgoing(inside, id, parcel);
  });
}

/** Puts something into the outbox, however much is there. */
export async function insertOutgoing(
  { db, principal, now }: Pick<Sharing, 'principal' | 'now'> & { readonly db: SharingDb },
  contactId: number,
  parcel: Parcel,
): Promise<void> {
  await db
    .insertInto('sharing_outbox')
    .values({
      principal,
      contact_id: contactId,
      item_id: parcel.itemId,
      kind: parcel.kind,
      share_type: parcel.shareType ?? null,
      ref_id: parcel.refId ?? null,
      title: parcel.title ?? '',
      permissions: parcel.permissions ?? null,
      body: parcel.body,
      file_name: parcel.file?.name ?? null,
      file_sha256: parcel.file?.sha256 ?? null,
      file_size: parcel.file?.size ?? 0,
      state: 'pending',
      reason: null,
      sent_at: null,
      created_at: now().toISOString(),
      delivered_at: null,
    })
    .execute();
}

async function countPending(
  { db, principal }: { readonly db: SharingDb; readonly principal: string },
  contactId: number,
): Promise<number> {
  const { count } = await db
    .selectFrom('sharing_outbox')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('principal', '=', principal)
    .where('state', '=', 'pending')
    .where('contact_id', '=', contactId)
    // What takes things back is never too much.
    .where('kind', '!=', 'revoke')
    .executeTakeFirstOrThrow();
  return count;
}

/** The oldest that waits for a contact in a lane, behind those that were put off; nothing while they are blocked. */
export function findNext(
  { db, principal }: Sharing,
  contactId: number,
  lane: Lane,
  putOff: readonly number[],
): Promise<Outgoing | undefined> {
  return db
    .selectFrom('sharing_outbox')
    .selectAll()
    .where('principal', '=', principal)
    .where('state', '=', 'pending')
    .where('contact_id', '=', contactId)
    .where('contact_id', 'in', selectLetIn(db))
    .where('file_sha256', lane === 'files' ? 'is not' : 'is', null)
    .$if(putOff.length > 0, (query) => query.where('seq', 'not in', [...putOff]))
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
}

/** The contacts for whom something waits. */
export async function listWaitingContacts({ db, principal }: Sharing): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('sharing_outbox')
    .select('contact_id')
    .distinct()
    .where('principal', '=', principal)
    .where('state', '=', 'pending')
    .execute();
  return rows.map(({ contact_id }) => contact_id);
}

/** The names of the copies that are still to be sent. */
export async function listOutgoingFiles({ db, principal }: Sharing): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('sharing_outbox')
    .select('item_id')
    .where('principal', '=', principal)
    .where('state', '=', 'pending')
    .where('file_sha256', 'is not', null)
    .execute();
  return new Set(rows.map(({ item_id }) => item_id));
}

/** Notes that the other side may have it from now on; false when it was withdrawn or they were blocked meanwhile. */
export async function noteSent({ db, now }: Sharing, seq: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sharing_outbox')
    .set((row) => ({ sent_at: row.fn.coalesce('sent_at', row.val(now().toISOString())) }))
    .where('seq', '=', seq)
    .where('state', '=', 'pending')
    .where('contact_id', 'in', selectLetIn(db))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** True while it is to be delivered. */
export async function isPending({ db }: Sharing, seq: number): Promise<boolean> {
  const row = await db
    .selectFrom('sharing_outbox')
    .select('seq')
    .where('seq', '=', seq)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  return row !== undefined;
}

/** Notes why they did not take it now; it goes on waiting. */
export async function notePutOff({ db }: Sharing, seq: number, reason: Refusal): Promise<void> {
  await db
    .updateTable('sharing_outbox')
    .set({ reason })
    .where('seq', '=', seq)
    .where('state', '=', 'pending')
    .execute();
}

/** Ends a delivery, one way or the other; what was withdrawn stays withdrawn. */
export async function noteOutcome(
  { db, now, files }: Sharing,
  { seq, item_id, file_sha256 }: Outgoing,
  outcome: { readonly state: 'delivered' } | { readonly state: 'failed'; readonly reason: string },
): Promise<void> {
  await db
    .updateTable('sharing_outbox')
    .set({
      state: outcome.state,
      reason: outcome.state === 'failed' ? outcome.reason : null,
      delivered_at: outcome.state === 'delivered' ? now().toISOString() : null,
      body: '',
    })
    .where('seq', '=', seq)
    .where('state', '=', 'pending')
    .execute();
  if (file_sha256 !== null) await files.remove('outgoing', item_id);
}

/** The share an edit came for, if that contact may edit it. */
export async function findEditable(
  { db, principal }: Sharing,
  contactId: number,
  itemId: string,
): Promise<Pick<Outgoing, 'title' | 'share_type' | 'ref_id'> | undefined> {
  return db
    .selectFrom('sharing_outbox')
    .select(['title', 'share_type', 'ref_id'])
    .where('principal', '=', principal)
    .where('contact_id', '=', contactId)
    .where('item_id', '=', itemId)
    .where('permissions', '=', 'read-write')
    .where('state', 'in', ['pending', 'delivered'])
    .executeTakeFirst();
}

/** What contacts sent: taken in once, bounded for each of them. */
import type { Selectable } from 'kysely';
import type { Sharing, SharingDb } from '../context.ts';
import { ARRIVING_MS, REMEMBERED_LIMIT, UNREAD_LIMIT } from '../limits.ts';
import type { ItemMessage, Refusal } from '../peer/messages.ts';
import type { ReceivedRow } from '../tables.ts';
import { isLetIn, selectLetIn } from './contacts.ts';
import { findEditable } from './outbox.ts';

/** Something received. */
export type Received = Selectable<ReceivedRow>;

/** The name of a file that is arriving. */
export function toArrivingName(contactId: number, itemId: string): string {
  return `${contactId}-${itemId}`;
}

/** The name of a file that has arrived. */
export function toReceivedName({
  contact_id,
  item_id,
  file_sha256,
}: Pick<Received, 'contact_id' | 'item_id' | 'file_sha256'>): string {
  return `${file_sha256}-${contact_id}-${item_id}`;
}

/** What was made of an item: known already or taken in, still without its file, or refused. */
export type Intake = 'done' | 'file' | Refusal;

/** Takes an item in, in one transaction; the same one twice is the same as once. */
export async function takeIn(sharing: Sharing, contactId: number, item: ItemMessage): Promise<Intake> {
  if (item.kind === 'revoke') return takeRevoke(sharing, contactId, item.of);
  if ((item.file?.size ?? 0) > sharing.intake.maxFile) return 'too_large';
  return sharing.db.transaction().execute(async (transaction) => {
    const inside = { ...sharing, db: transaction };
    // They keep it, and it comes when they are let in again.
    if (!(await isLetIn(transaction, contactId))) return 'unavailable';
    const known = await findReceived(transaction, contactId, item.id);
    if (known) return known.state === 'arriving' ? goOn(inside, known.id) : 'done';
    const row = await toRow(inside, contactId, item);
    if (row === undefined) return 'not_allowed';
    if (!(await hasRoom(inside, contactId, row.size))) return 'full';
    await transaction.insertInto('sharing_received').values(row).execute();
    return row.state === 'arriving' ? 'file' : 'done';
  });
}

/** Notes that its sender came back to it. */
async function goOn({ db, now }: Sharing, id: number): Promise<Intake> {
  await db
    .updateTable('sharing_received')
    .set({ received_at: now().toISOString() })
    .where('id', '=', id)
    .execute();
  return 'file';
}

type NewReceived = Omit<Received, 'id'>;

/** The row of an item; undefined for an edit of what the contact may not edit. */
async function toRow(
  sharing: Sharing,
  contactId: number,
  item: Exclude<ItemMessage, { kind: 'revoke' }>,
): Promise<NewReceived | undefined> {
  const common = {
    principal: sharing.principal,
    contact_id: contactId,
    item_id: item.id,
    kind: item.kind,
    share_type: null,
    title: '',
    permissions: null,
    file_name: null,
    file_sha256: null,
    read_at: null,
    received_at: sharing.now().toISOString(),
  };
  // JSON text holds no NUL and no half of a character, whatever the content does.
  const body = JSON.stringify(item.kind === 'message' ? item.text : item.content);
  const size = Buffer.byteLength(body) + (item.file?.size ?? 0);
  if (item.kind === 'message') return { ...common, body, size, state: 'held' };
  if (item.kind === 'edit') {
    const original = await findEditable(sharing, contactId, item.of);
    if (!original) return undefined;
    const { title, share_type } = original;
    return { ...common, title, share_type, body, size, state: 'held' };
  }
  return {
    ...common,
    share_type: item.type,
    title: toLine(item.title),
    permissions: item.permissions,
    body,
    size,
    file_name: item.file === undefined ? null : toLine(item.file.name),
    file_sha256: item.file?.sha256 ?? null,
    state: item.file === undefined ? 'held' : 'arriving',
  };
}

/** What others wrote, made fit for one line. */
function toLine(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** True when the contact may leave this much here; what was read long ago makes room. */
async function hasRoom({ db, intake }: Sharing, contactId: number, size: number): Promise<boolean> {
  const { rows, unread, bytes } = await db
    .selectFrom('sharing_received')
    .select((row) => [
      row.fn.countAll<number>().as('rows'),
      row.fn
        .countAll<number>()
        .filterWhere('read_at', 'is', null)
        .filterWhere('state', 'in', ['arriving', 'held'])
        .as('unread'),
      row.fn.coalesce(row.fn.sum<number>('size'), row.val(0)).as('bytes'),
    ])
    .where('contact_id', '=', contactId)
    .executeTakeFirstOrThrow();
  if (unread >= UNREAD_LIMIT || bytes + size > intake.quota) return false;
  if (rows < REMEMBERED_LIMIT) return true;
  const oldest = db
    .selectFrom('sharing_received')
    .select('id')
    .where('contact_id', '=', contactId)
    .where((row) =>
      row.or([
        // A file that is still here needs its row.
        row.and([row('read_at', 'is not', null), row('file_sha256', 'is', null)]),
        row('state', 'in', ['used', 'revoked', 'removed']),
      ]),
    )
    .orderBy('id')
    .limit(100);
  const { numDeletedRows } = await db
    .deleteFrom('sharing_received')
    .where('id', 'in', oldest)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Takes away what a contact shared; what comes later is known to be taken back already. */
async function takeRevoke(sharing: Sharing, contactId: number, itemId: string): Promise<Intake> {
  const gone = await sharing.db.transaction().execute(async (transaction) => {
    if (!(await isLetIn(transaction, contactId))) return 'unavailable';
    const row = await findReceived(transaction, contactId, itemId);
    if (row) {
      if (row.kind !== 'item' || row.state === 'used') return undefined;
      await clear(transaction, row.id, 'revoked');
      return row;
    }
    const inside = { ...sharing, db: transaction };
    if (!(await hasRoom(inside, contactId, 0))) return 'full';
    await transaction
      .insertInto('sharing_received')
      .values(toTombstone(sharing, contactId, itemId))
      .execute();
    return undefined;
  });
  if (gone === 'full' || gone === 'unavailable') return gone;
  if (gone) await removeFiles(sharing, gone);
  return 'done';
}

/** Removes what lies of the file of an item, if it has one. */
export async function removeFiles({ files }: Sharing, row: Received): Promise<void> {
  if (row.file_sha256 === null) return;
  await files.remove('received', toReceivedName(row));
  await files.remove('arriving', toArrivingName(row.contact_id, row.item_id));
}

function toTombstone(sharing: Sharing, contactId: number, itemId: string): NewReceived {
  return {
    principal: sharing.principal,
    contact_id: contactId,
    item_id: itemId,
    kind: 'item',
    share_type: null,
    title: '',
    permissions: null,
    body: null,
    file_name: null,
    file_sha256: null,
    size: 0,
    state: 'revoked',
    read_at: null,
    received_at: sharing.now().toISOString(),
  };
}

/** Makes an item visible whose file is whole; `gone` when it was revoked meanwhile, `unavailable` when they have to send it again. */
export async function completeFile(
  { db, now }: Sharing,
  contactId: number,
  itemId: string,
): Promise<'held' | 'gone' | 'unavailable'> {
  const { numUpdatedRows } = await db
    .updateTable('sharing_received')
    .set({ state: 'held', received_at: now().toISOString() })
    .where('contact_id', '=', contactId)
    .where('item_id', '=', itemId)
    .where('state', '=', 'arriving')
    .where('contact_id', 'in', selectLetIn(db))
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return 'held';
  const row = await findReceived(db, contactId, itemId);
  return row === undefined || row.state === 'arriving' ? 'unavailable' : 'gone';
}

/** Forgets what began to arrive long ago and whose sender never came back to it. */
export async function dropForsaken({ db, principal, now }: Sharing): Promise<void> {
  await db
    .deleteFrom('sharing_received')
    .where('principal', '=', principal)
    .where('state', '=', 'arriving')
    .where('received_at', '<', new Date(now().getTime() - ARRIVING_MS).toISOString())
    .execute();
}

/** One item of a contact, by the id both ends know. */
export function findReceived(
  db: SharingDb,
  contactId: number,
  itemId: string,
): Promise<Received | undefined> {
  return db
    .selectFrom('sharing_received')
    .selectAll()
    .where('contact_id', '=', contactId)
    .where('item_id', '=', itemId)
    .executeTakeFirst();
}

/** Takes the content away and says why; false when somebody else did so first. */
export async function clear(
  db: SharingDb,
  id: number,
  state: 'used' | 'revoked' | 'removed',
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sharing_received')
    .set({ state, body: null, size: 0 })
    .where('id', '=', id)
    .where('state', 'in', ['arriving', 'held'])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The names of files that belong to something: arriving ones and arrived ones. */
export async function listFileNames({ db, principal }: Sharing): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('sharing_received')
    .select(['contact_id', 'item_id', 'file_sha256'])
    .where('principal', '=', principal)
    .where('state', 'in', ['arriving', 'held'])
    .where('file_sha256', 'is not', null)
    .execute();
  return new Set(rows.flatMap((row) => [toReceivedName(row), toArrivingName(row.contact_id, row.item_id)]));
}

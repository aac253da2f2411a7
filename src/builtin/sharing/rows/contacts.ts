/** The people we share with. */
import type { Selectable } from 'kysely';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { didYouMean } from '../../../lib/nearest.ts';
import { toPreview } from '../../text.ts';
import type { Sharing, SharingDb } from '../context.ts';
import { toFingerprint } from '../identity.ts';
import type { ContactRow } from '../tables.ts';

/** A contact as it is kept. */
export type Contact = Selectable<ContactRow>;

const NAME_LENGTH = 100;

/** A name somebody else gave themselves, made fit for one line; undefined when nothing is left of it. */
export function toName(given: string | undefined): string | undefined {
  const name = toPreview(given?.replace(/[\p{C}\p{Z}]+/gu, ' ') ?? '', NAME_LENGTH);
  return name === '' ? undefined : name;
}

/** Everybody, the oldest first. */
export function listContacts({ db, principal }: Pick<Sharing, 'db' | 'principal'>): Promise<Contact[]> {
  return db
    .selectFrom('sharing_contacts')
    .selectAll()
    .where('principal', '=', principal)
    .orderBy('id')
    .execute();
}

/** The owner of a key (hex), if we know them. */
export function findContactByKey(
  { db, principal }: Pick<Sharing, 'db' | 'principal'>,
  key: string,
): Promise<Contact | undefined> {
  return db
    .selectFrom('sharing_contacts')
    .selectAll()
    .where('principal', '=', principal)
    .where('peer_key', '=', key)
    .executeTakeFirst();
}

/** Whoever is meant by a name or an id; refuses with the nearest one. */
export async function findContact(
  sharing: Pick<Sharing, 'db' | 'principal'>,
  meant: string,
): Promise<Contact> {
  const contacts = await listContacts(sharing);
  const wanted = meant.trim().toLowerCase();
  const found =
    contacts.find(({ fingerprint }) => fingerprint === wanted) ??
    contacts.find(({ name }) => name.toLowerCase() === wanted);
  if (found) return found;
  const hint = didYouMean(
    meant,
    contacts.map(({ name }) => name),
  );
  throw new GatewayError(
    'INVALID_PARAMS',
    `there is no contact "${toPreview(meant, 60)}"${hint}; list_contacts shows them`,
  );
}

/** Refuses to send anything to somebody who was blocked. */
export function requireUnblocked(contact: Contact): Contact {
  if (contact.blocked === 0) return contact;
  throw toBlockedError(contact.name);
}

/** Says that somebody is blocked, and what to do. */
export function toBlockedError(name: string): GatewayError {
  return new GatewayError(
    'INVALID_PARAMS',
    `${name} is blocked; unblock them first (revoke_access with block: false)`,
  );
}

/** The ids of those who are not blocked, for use within another question. */
export function selectLetIn(db: SharingDb) {
  return db.selectFrom('sharing_contacts').select('id').where('blocked', '=', 0);
}

/** True when a contact is there and not blocked, as of this transaction. */
export async function isLetIn(db: SharingDb, id: number): Promise<boolean> {
  return (await selectLetIn(db).where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** Whom to keep, and under which name. */
export interface NewContact {
  readonly principal: string;
  readonly key: string;
  readonly name: string | undefined;
  readonly at: string;
}

/** Keeps somebody, unless they are there; no two contacts have the same name. */
export async function addContact(db: SharingDb, { principal, key, name, at }: NewContact): Promise<void> {
  const fingerprint = toFingerprint(key);
  const others = await listContacts({ db, principal });
  if (others.some(({ peer_key }) => peer_key === key)) return;
  await db
    .insertInto('sharing_contacts')
    .values({
      principal,
      peer_key: key,
      fingerprint,
      name: toFreeName(name ?? fingerprint, others),
      blocked: 0,
      connected: 0,
      last_seen: at,
      created_at: at,
    })
    .execute();
}

/** Names and ids are looked up alike, so nobody may be called what somebody else is. */
function toFreeName(name: string, others: readonly Contact[]): string {
  const taken = new Set(others.flatMap((other) => [other.name.toLowerCase(), other.fingerprint]));
  let free = name;
  for (let count = 2; taken.has(free.toLowerCase()); count++) free = `${name} (${count})`;
  return free;
}

/** Notes that a contact came or went. */
export async function noteConnected(
  { db, now }: Pick<Sharing, 'db' | 'now'>,
  id: number,
  connected: boolean,
): Promise<void> {
  await db
    .updateTable('sharing_contacts')
    .set({ connected: connected ? 1 : 0, last_seen: now().toISOString() })
    .where('id', '=', id)
    .execute();
}

/** Notes that nobody is connected, as it is after a start. */
export async function noteNobody({ db, principal }: Pick<Sharing, 'db' | 'principal'>): Promise<void> {
  await db
    .updateTable('sharing_contacts')
    .set({ connected: 0 })
    .where('principal', '=', principal)
    .where('connected', '=', 1)
    .execute();
}

/** Blocks or unblocks. */
export async function setBlocked(
  { db }: { readonly db: SharingDb },
  id: number,
  blocked: boolean,
): Promise<void> {
  await db
    .updateTable('sharing_contacts')
    .set({ blocked: blocked ? 1 : 0 })
    .where('id', '=', id)
    .execute();
}

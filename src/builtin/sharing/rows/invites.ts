/** Invites of ours, and those of others that were accepted here. */
import type { Selectable } from 'kysely';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { Sharing, SharingDb } from '../context.ts';
import { createSecret, hashSecret, type Invite, type InviteRefusal, toInviteCode } from '../invites.ts';
import { INVITE_MS, OPEN_INVITE_LIMIT } from '../limits.ts';
import type { JoinRow } from '../tables.ts';
import { addContact } from './contacts.ts';

/** An accepted invite, its secret opened. */
export type Join = Selectable<JoinRow>;

/** Makes an invite and keeps what is needed to know it again. */
export async function createInvite(
  sharing: Sharing,
  displayName: string | undefined,
): Promise<{ readonly code: string; readonly expiresAt: number }> {
  const identity = await sharing.identity();
  const secret = createSecret();
  const now = sharing.now();
  const expiresAt = now.getTime() + INVITE_MS;
  await sharing.db.transaction().execute(async (transaction) => {
    if ((await countOpenInvites({ ...sharing, db: transaction })) >= OPEN_INVITE_LIMIT) {
      throw new GatewayError(
        'TOO_BUSY',
        `${OPEN_INVITE_LIMIT} invites are open; wait until some are used or expire`,
      );
    }
    await transaction
      .insertInto('sharing_invites')
      .values({
        principal: sharing.principal,
        secret_hash: hashSecret(secret),
        display_name: displayName ?? null,
        expires_at: expiresAt,
        created_at: now.toISOString(),
        used_at: null,
        used_by: null,
      })
      .execute();
  });
  return { code: toInviteCode(identity, { secret, expiresAt }), expiresAt };
}

/** How many invites of ours somebody could still use. */
export async function countOpenInvites({
  db,
  principal,
  now,
}: Pick<Sharing, 'principal' | 'now'> & { readonly db: SharingDb }): Promise<number> {
  const { count } = await db
    .selectFrom('sharing_invites')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('principal', '=', principal)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now().getTime())
    .executeTakeFirstOrThrow();
  return count;
}

/** Lets the owner of a key in who knows the secret of an open invite; the invite is used up with it. */
export function redeemInvite(
  sharing: Sharing,
  proof: { readonly key: string; readonly secret: string; readonly name: string | undefined },
): Promise<InviteRefusal | 'welcome'> {
  const { principal } = sharing;
  const now = sharing.now();
  return sharing.db.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom('sharing_invites')
      .select(['id', 'display_name', 'expires_at', 'used_at'])
      .where('principal', '=', principal)
      .where('secret_hash', '=', hashSecret(proof.secret))
      .executeTakeFirst();
    if (!row) return 'unknown';
    if (row.used_at !== null) return 'used';
    if (row.expires_at <= now.getTime()) return 'expired';
    const at = now.toISOString();
    await transaction
      .updateTable('sharing_invites')
      .set({ used_at: at, used_by: proof.key })
      .where('id', '=', row.id)
      .execute();
    const name = row.display_name ?? proof.name;
    await addContact(transaction, { principal, key: proof.key, name, at });
    return 'welcome';
  });
}

/** Notes that an invite was accepted here; the network does the rest. */
export async function addJoin(
  sharing: Sharing,
  invite: Invite,
  displayName: string | undefined,
): Promise<void> {
  const { db, principal, cipher } = sharing;
  const row = {
    secret: await cipher.seal(invite.secret, toAbout(principal, invite.key)),
    display_name: displayName ?? null,
    expires_at: invite.expiresAt,
    state: 'pending' as const,
    reason: null,
    created_at: sharing.now().toISOString(),
  };
  await db
    .insertInto('sharing_joins')
    .values({ principal, peer_key: invite.key, ...row })
    .onConflict((conflict) => conflict.columns(['principal', 'peer_key']).doUpdateSet(row))
    .execute();
}

/** What became of an accepted invite. */
export async function findJoin({ db, principal }: Sharing, key: string): Promise<Join | undefined> {
  return db
    .selectFrom('sharing_joins')
    .selectAll()
    .where('principal', '=', principal)
    .where('peer_key', '=', key)
    .executeTakeFirst();
}

/** The accepted invites whose makers have not answered yet. */
export function listPendingJoins({ db, principal, now }: Sharing): Promise<Join[]> {
  return db
    .selectFrom('sharing_joins')
    .selectAll()
    .where('principal', '=', principal)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now().getTime())
    .execute();
}

/** The secret to show to the maker of an accepted invite; undefined when nothing is pending. */
export async function findJoinSecret(sharing: Sharing, key: string): Promise<string | undefined> {
  const join = await findJoin(sharing, key);
  if (join?.state !== 'pending' || join.expires_at <= sharing.now().getTime()) return undefined;
  return sharing.cipher.open(join.secret, toAbout(sharing.principal, key));
}

/** Keeps the inviter, who agreed. */
export function completeJoin(sharing: Sharing, key: string, name: string | undefined): Promise<void> {
  const { principal } = sharing;
  return sharing.db.transaction().execute(async (transaction) => {
    const join = await findJoin({ ...sharing, db: transaction }, key);
    if (join?.state !== 'pending') return;
    const at = sharing.now().toISOString();
    await endJoin(transaction, join.id, 'done', null);
    await addContact(transaction, { principal, key, name: join.display_name ?? name, at });
  });
}

/** Notes that the inviter did not agree. */
export async function refuseJoin(sharing: Sharing, key: string, reason: string): Promise<void> {
  const join = await findJoin(sharing, key);
  if (join?.state === 'pending') await endJoin(sharing.db, join.id, 'refused', reason);
}

async function endJoin(
  db: SharingDb,
  id: number,
  state: 'done' | 'refused',
  reason: string | null,
): Promise<void> {
  await db.updateTable('sharing_joins').set({ state, reason, secret: '' }).where('id', '=', id).execute();
}

function toAbout(principal: string, key: string): string {
  return JSON.stringify(['sharing join', principal, key]);
}

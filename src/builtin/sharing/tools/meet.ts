/** Getting to know somebody: inviting, accepting, and who is there. */
import * as z from 'zod';
import type { CancelSignal } from '../../../lib/cancel.ts';
import { defineTool, READS } from '../../builtin.ts';
import { fence } from '../../fence.ts';
import { said } from '../../said.ts';
import type { SharingContext } from '../context.ts';
import { displayName } from '../fields.ts';
import { toFingerprint, toSafetyNumber } from '../identity.ts';
import { isInviteRefusal, parseInviteCode, toInviteError } from '../invites.ts';
import { ACCEPT_WAIT_MS } from '../limits.ts';
import { findContactByKey, listContacts, toName } from '../rows/contacts.ts';
import { addJoin, createInvite, findJoin, type Join } from '../rows/invites.ts';
import { countWaiting } from '../rows/outbox-counts.ts';
import { isReachable } from './reachable.ts';

/** Between two looks at what became of an accepted invite; another process may be the one that meets its maker. */
const LOOK_AGAIN_MS = 100;

/** Makes an invite. */
export const generateInvite = defineTool({
  name: 'generate_invite',
  title: 'Generate an invite',
  description: 'Make a code that one person can use once, within 24 hours',
  input: z.object({ display_name: displayName().describe('what to call whoever accepts it') }),
  output: z.object({ invite_code: z.string(), expires_at: z.string(), id: z.string() }),
  annotations: { destructiveHint: false },
  async run({ display_name }, context: SharingContext) {
    const { code, expiresAt } = await createInvite(context, toName(display_name));
    await context.node.wake();
    const { fingerprint } = await context.identity();
    return { invite_code: code, expires_at: new Date(expiresAt).toISOString(), id: fingerprint };
  },
  toText: ({ invite_code, expires_at }) =>
    `Hand this over on a channel you trust; it works once, until ${expires_at}:\n${invite_code}\nThis program has to run when it is accepted. Afterwards compare the safety number (list_contacts) with theirs.`,
});

/** Accepts an invite. */
export const acceptInvite = defineTool({
  name: 'accept_invite',
  title: 'Accept an invite',
  description: 'Become a contact of whoever made the code',
  input: z.object({
    invite_code: said(1000),
    display_name: displayName().describe('what to call them'),
  }),
  output: z.object({
    status: z.enum(['connected', 'waiting']),
    id: z.string(),
    name: z.string().optional(),
    safety_number: z.string(),
  }),
  annotations: { destructiveHint: false },
  async run({ invite_code, display_name }, context: SharingContext, { signal }) {
    const invite = parseInviteCode(invite_code, context.now().getTime());
    const identity = await context.identity();
    if (invite.key === identity.key) throw toInviteError('own');
    const known = await findContactByKey(context, invite.key);
    if (known?.blocked === 1) throw toInviteError('blocked', invite.key);
    if (!known) {
      await addJoin(context, invite, toName(display_name));
      await context.node.wake();
      const join = await awaitVerdict(context, invite.key, signal);
      if (join?.state === 'refused') {
        const reason = join.reason ?? 'unknown';
        throw toInviteError(isInviteRefusal(reason) ? reason : 'unknown', invite.key);
      }
    }
    const contact = await findContactByKey(context, invite.key);
    return {
      status: contact ? ('connected' as const) : ('waiting' as const),
      id: toFingerprint(invite.key),
      ...(contact ? { name: contact.name } : {}),
      safety_number: toSafetyNumber(identity.key, invite.key),
    };
  },
  toText({ status, id, name, safety_number }) {
    const compare = `Compare the safety number with theirs: ${safety_number}`;
    return status === 'connected'
      ? `Connected with ${id}. ${compare}\n${fence(`name: ${name}`)}`
      : `${id} does not answer yet. The invite is kept and tried until it expires; list_contacts shows when they agreed. ${compare}`;
  },
});

/** What became of an accepted invite, as far as somebody is willing to wait. */
async function awaitVerdict(
  context: SharingContext,
  key: string,
  signal: CancelSignal,
): Promise<Join | undefined> {
  const deadline = context.clock.now() + ACCEPT_WAIT_MS;
  for (;;) {
    const join = await findJoin(context, key);
    if (join?.state !== 'pending' || context.clock.now() >= deadline) return join;
    signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      context.clock.after(LOOK_AGAIN_MS, resolve);
    });
  }
}

/** Shows everybody. */
export const listContactsTool = defineTool({
  name: 'list_contacts',
  title: 'List contacts',
  description: 'Whom you share with, who is online, and the safety numbers',
  input: z.object({ include_blocked: z.boolean().default(false) }),
  output: z.object({
    contacts: z.array(
      z.object({
        name: z.string(),
        id: z.string(),
        status: z.enum(['online', 'offline', 'blocked']),
        waiting: z.int(),
        last_seen: z.string().optional(),
        added: z.string(),
        safety_number: z.string(),
      }),
    ),
  }),
  annotations: READS,
  async run({ include_blocked }, context: SharingContext) {
    const [contacts, waiting, identity] = await Promise.all([
      listContacts(context),
      countWaiting(context),
      context.identity(),
    ]);
    const reachable = await isReachable(context);
    const shown = contacts.filter(({ blocked }) => include_blocked || blocked === 0);
    return {
      contacts: shown.map((contact) => ({
        name: contact.name,
        id: contact.fingerprint,
        status: toStatus(contact, reachable),
        waiting: waiting.get(contact.id) ?? 0,
        ...(contact.last_seen === null ? {} : { last_seen: contact.last_seen }),
        added: contact.created_at,
        safety_number: toSafetyNumber(identity.key, contact.peer_key),
      })),
    };
  },
  toText({ contacts }) {
    if (contacts.length === 0) return 'No contacts yet; generate_invite makes an invite for somebody.';
    const lines = contacts.map(
      ({ name, id, status, waiting, last_seen, safety_number }) =>
        `${name} (${id}): ${status}, last seen ${last_seen ?? 'never'}, ${waiting} waiting, safety number ${safety_number}`,
    );
    return fence(lines.join('\n'));
  },
});

function toStatus(
  { blocked, connected }: { readonly blocked: number; readonly connected: number },
  reachable: boolean,
): 'online' | 'offline' | 'blocked' {
  if (blocked === 1) return 'blocked';
  return reachable && connected === 1 ? 'online' : 'offline';
}

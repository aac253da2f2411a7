/** How sharing stands. */
import * as z from 'zod';
import { defineTool, READS } from '../../builtin.ts';
import { fence } from '../../fence.ts';
import type { SharingContext } from '../context.ts';
import { toFingerprint } from '../identity.ts';
import { listContacts } from '../rows/contacts.ts';
import { countInbox, listFull } from '../rows/inbox.ts';
import { countOpenInvites, listPendingJoins } from '../rows/invites.ts';
import { countOutbox, countPutOff, listFailures } from '../rows/outbox-counts.ts';
import { isReachable } from './reachable.ts';

const MAX_FAILURES = 5;

const NETWORK: Readonly<Record<string, string>> = {
  off: 'off: there is nobody to reach',
  on: 'on',
  elsewhere: 'on, through another process of this home',
  failed:
    'failed: the network cannot be joined now and is tried again; if it stays so, look at builtin.sharing.host in the configuration',
};

const REASONS: Readonly<Record<string, string>> = {
  too_large: 'larger than they take',
  not_allowed: 'they did not share it for editing, or took it back',
  invalid: 'they did not understand it; their program may be older',
  missing: 'our copy of the file is gone; share it again',
  full: 'they have no room for it until they read or remove what you sent',
  unavailable: 'they could not take it; it is tried again',
};

const toReason = (reason: string | null) => REASONS[reason ?? ''] ?? 'refused';

/** Tells identity, people and counts. */
export const sharingStatus = defineTool({
  name: 'sharing_status',
  title: 'Sharing status',
  description: 'Your id, the network, contacts, and what waits or failed',
  input: z.object({}),
  output: z.object({
    id: z.string(),
    network: z.enum(['off', 'elsewhere', 'on', 'failed']),
    contacts: z.int(),
    online: z.int(),
    blocked: z.int(),
    open_invites: z.int(),
    accepting: z.array(z.string()),
    outbox: z.object({ waiting: z.int(), delivered: z.int(), failed: z.int() }),
    inbox: z.object({ held: z.int(), unread: z.int() }),
    no_room: z.array(z.string()),
    put_off: z.array(z.object({ contact: z.string(), count: z.int(), reason: z.string() })),
    failures: z.array(z.object({ contact: z.string(), title: z.string(), reason: z.string() })),
  }),
  annotations: READS,
  async run(_, context: SharingContext) {
    const { fingerprint } = await context.identity();
    const network = await context.node.presence();
    const contacts = await listContacts(context);
    const friends = contacts.filter(({ blocked }) => blocked === 0);
    const joins = await listPendingJoins(context);
    return {
      id: fingerprint,
      network,
      contacts: friends.length,
      online: (await isReachable(context)) ? friends.filter(({ connected }) => connected === 1).length : 0,
      blocked: contacts.length - friends.length,
      open_invites: await countOpenInvites(context),
      accepting: joins.map(({ peer_key }) => toFingerprint(peer_key)),
      outbox: await countOutbox(context),
      inbox: await countInbox(context),
      no_room: await listFull(context),
      put_off: (await countPutOff(context)).map((row) => ({ ...row, reason: toReason(row.reason) })),
      failures: (await listFailures(context, MAX_FAILURES)).map((row) => ({
        ...row,
        reason: toReason(row.reason),
      })),
    };
  },
  toText(status) {
    const { id, network, contacts, online, open_invites, accepting, outbox, inbox } = status;
    const lines = [
      `You are ${id}. Network: ${NETWORK[network]}.`,
      `${contacts} contacts, ${online} online, ${open_invites} open invites, ${accepting.length} accepted invites waiting for an answer.`,
      `Outbox: ${outbox.waiting} waiting, ${outbox.delivered} delivered, ${outbox.failed} failed. Inbox: ${inbox.held}, ${inbox.unread} unread.`,
    ];
    const troubles = toTroubles(status);
    return troubles.length === 0 ? lines.join('\n') : `${lines.join('\n')}\n${fence(troubles.join('\n'))}`;
  },
});

function toTroubles({
  no_room,
  put_off,
  failures,
}: {
  readonly no_room: readonly string[];
  readonly put_off: readonly { readonly contact: string; readonly count: number; readonly reason: string }[];
  readonly failures: readonly {
    readonly contact: string;
    readonly title: string;
    readonly reason: string;
  }[];
}): readonly string[] {
  return [
    ...no_room.map((name) => `${name} has hardly any room left here: read or remove what they sent (inbox)`),
    ...put_off.map(({ contact, count, reason }) => `${count} waiting for ${contact}: ${reason}`),
    ...failures.map(({ contact, title, reason }) => `failed lately: "${title}" to ${contact}: ${reason}`),
  ];
}

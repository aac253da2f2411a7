/** How sharing stands. */
import * as z from 'zod';
import { defineTool, READS } from '../../builtin.ts';
import { fence } from '../../fence.ts';
import { toFingerprint } from '../identity.ts';
import { listContacts } from '../rows/contacts.ts';
import { countOpenInvites, listPendingJoins } from '../rows/invites.ts';
import type { SharingContext } from '../tools.ts';
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
};

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
      failures: await listFailures(context),
    };
  },
  toText({ id, network, contacts, online, open_invites, accepting, outbox, inbox, failures }) {
    const lines = [
      `You are ${id}. Network: ${NETWORK[network]}.`,
      `${contacts} contacts, ${online} online, ${open_invites} open invites, ${accepting.length} accepted invites waiting for an answer.`,
      `Outbox: ${outbox.waiting} waiting, ${outbox.delivered} delivered, ${outbox.failed} failed. Inbox: ${inbox.held}, ${inbox.unread} unread.`,
    ];
    if (failures.length === 0) return lines.join('\n');
    const failed = failures.map(({ contact, title, reason }) => `"${title}" to ${contact}: ${reason}`);
    return `${lines.join('\n')}\nFailed lately: ${fence(failed.join('\n'))}`;
  },
});

async function countOutbox({
  db,
  principal,
}: SharingContext): Promise<{ waiting: number; delivered: number; failed: number }> {
  const rows = await db
    .selectFrom('sharing_outbox')
    .select((row) => ['state', row.fn.countAll<number>().as('count')])
    .where('principal', '=', principal)
    .groupBy('state')
    .execute();
  const countOf = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
  return { waiting: countOf('pending'), delivered: countOf('delivered'), failed: countOf('failed') };
}

async function countInbox({ db, principal }: SharingContext): Promise<{ held: number; unread: number }> {
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

async function listFailures({
  db,
  principal,
}: SharingContext): Promise<{ contact: string; title: string; reason: string }[]> {
  const rows = await db
    .selectFrom('sharing_outbox as item')
    .innerJoin('sharing_contacts as contact', 'contact.id', 'item.contact_id')
    .select(['contact.name as contact', 'item.title', 'item.reason'])
    .where('item.principal', '=', principal)
    .where('item.state', '=', 'failed')
    .orderBy('item.seq', 'desc')
    .limit(MAX_FAILURES)
    .execute();
  return rows.map(({ contact, title, reason }) => ({
    contact,
    title,
    reason: REASONS[reason ?? ''] ?? 'refused',
  }));
}

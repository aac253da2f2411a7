/** Giving to somebody, and taking back. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { defineTool } from '../../builtin.ts';
import { said } from '../../said.ts';
import { SHARED_KINDS, type SharedItem, type SharedKind } from '../../shared-item.ts';
import { toPreview } from '../../text.ts';
import type { SharingContext } from '../context.ts';
import { contact as contactField, itemId } from '../fields.ts';
import { CONTENT_LIMIT, MESSAGE_LIMIT } from '../limits.ts';
import { type Contact, findContact, requireUnblocked, setBlocked } from '../rows/contacts.ts';
import { findHeld } from '../rows/inbox.ts';
import { addOutgoing, createItemId, type Parcel } from '../rows/outbox.ts';
import { blockContact, type Withdrawn, withdraw } from '../rows/withdrawals.ts';
import { isReachable } from './reachable.ts';

/** Characters; a character is at most two of the 500 units that the other side takes. */
const TITLE_LENGTH = 250;
const EDIT_LENGTH = 100_000;

/** The tool that shows what there is of a kind, with the ids. */
const LISTS: Readonly<Record<SharedKind, string>> = {
  memory: 'list_memories',
  project: 'list_projects',
  source: 'list_sources',
  note: 'search_notes',
  blog_post: 'list_posts',
  file: 'list_files',
};

/** Shares an item, or sends back an edit of one. */
export const share = defineTool({
  name: 'share',
  title: 'Share',
  description: 'Share an item, or send back an edit of one; delivered once they are online',
  input: z.object({
    contact: contactField(),
    share_type: z.enum([...SHARED_KINDS, 'edit']).describe('edit: of a read-write item in your inbox'),
    item_id: itemId().describe('for an edit, its id in the inbox'),
    permissions: z.enum(['read', 'read-write', 'one-time']).default('read'),
    content: said(EDIT_LENGTH).optional().describe('for an edit, the new content'),
  }),
  output: z.object({ contact: z.string(), title: z.string(), online: z.boolean() }),
  annotations: { destructiveHint: false },
  async run({ contact: meant, share_type, item_id, permissions, content }, context: SharingContext) {
    const contact = requireUnblocked(await findContact(context, meant));
    const parcel =
      share_type === 'edit'
        ? await toEdit(context, contact, item_id, content)
        : await toShare(context, share_type, item_id, content);
    await addOutgoing(context, contact, share_type === 'edit' ? parcel : { ...parcel, permissions });
    await context.node.wake();
    return { contact: contact.name, title: parcel.title ?? '', online: await isOnline(context, contact) };
  },
  toText: ({ online }) => toDeliveryText('Shared', online),
});

/** Says something. */
export const sendMessage = defineTool({
  name: 'send_message',
  title: 'Send a message',
  description: 'Write to a contact; delivered once they are online',
  input: z.object({ contact: contactField(), message: said(MESSAGE_LIMIT) }),
  output: z.object({ contact: z.string(), online: z.boolean() }),
  annotations: { destructiveHint: false },
  async run({ contact: meant, message }, context: SharingContext) {
    const contact = requireUnblocked(await findContact(context, meant));
    const body = JSON.stringify({ text: message });
    await addOutgoing(context, contact, { itemId: createItemId(), kind: 'message', body });
    await context.node.wake();
    return { contact: contact.name, online: await isOnline(context, contact) };
  },
  toText: ({ online }) => toDeliveryText('Written', online),
});

/** Takes back what was shared, or shuts somebody out. */
export const revokeAccess = defineTool({
  name: 'revoke_access',
  title: 'Revoke access',
  description: 'Take back a shared item, or everything and block the contact',
  input: z.object({
    contact: contactField(),
    share_type: z.enum(SHARED_KINDS).optional(),
    item_id: itemId().optional(),
    block: z.boolean().optional().describe('true blocks them, false unblocks'),
  }),
  output: z.object({
    contact: z.string(),
    withdrawn: z.int(),
    revoked: z.int(),
    blocked: z.boolean(),
  }),
  annotations: { idempotentHint: true },
  async run({ contact: meant, share_type, item_id, block }, context: SharingContext) {
    const contact = await findContact(context, meant);
    const isItem = share_type !== undefined && item_id !== undefined;
    if ((share_type !== undefined || item_id !== undefined || block === undefined) && !isItem) {
      throw new GatewayError(
        'INVALID_PARAMS',
        'revoke_access takes share_type together with item_id, or block, or both; nothing was changed',
      );
    }
    const counts = await takeBack(context, contact, { share_type, item_id, block });
    if (block === false) await setBlocked(context, contact.id, false);
    await context.node.wake();
    return { contact: contact.name, ...counts, blocked: block ?? contact.blocked === 1 };
  },
  toText({ withdrawn, revoked, blocked }) {
    const what = `${withdrawn} withdrawn before delivery, ${revoked} to be removed at their end`;
    return `${what}. ${blocked ? 'They are blocked: nothing reaches them or comes from them, removals included, until you unblock them.' : 'Removals are delivered once they are online.'}`;
  },
});

async function takeBack(
  context: SharingContext,
  contact: Contact,
  given: {
    readonly share_type: SharedKind | undefined;
    readonly item_id: string | undefined;
    readonly block: boolean | undefined;
  },
): Promise<Withdrawn> {
  if (given.block === true) return blockContact(context, contact);
  if (given.item_id === undefined) return { withdrawn: 0, revoked: 0 };
  const counts = await withdraw(context, contact, { shareType: given.share_type, refId: given.item_id });
  if (counts.withdrawn + counts.revoked > 0 || given.block !== undefined) return counts;
  throw new GatewayError(
    'INVALID_PARAMS',
    `no ${given.share_type} "${given.item_id}" is shared with ${contact.name}, or it was taken back already; give the share_type and item_id it was shared with`,
  );
}

async function toShare(
  { items, files }: SharingContext,
  kind: SharedKind,
  id: string,
  content: string | undefined,
): Promise<Parcel> {
  if (content !== undefined)
    throw new GatewayError('INVALID_PARAMS', 'content belongs to an edit; an item is shared as it is kept');
  const item = await items?.read(kind, id);
  if (!item) {
    throw new GatewayError(
      'INVALID_PARAMS',
      `there is no ${kind} "${id}" to share; ${LISTS[kind]} shows what there is`,
    );
  }
  const body = toBody(item);
  const itemId = createItemId();
  const { file } = item;
  if (file) await files.take(itemId, file);
  const name = toPreview(file?.name ?? '', TITLE_LENGTH);
  return {
    itemId,
    kind: 'item',
    body,
    title: toPreview(item.title, TITLE_LENGTH),
    shareType: kind,
    refId: id,
    ...(file ? { file: { name, sha256: file.sha256, size: file.size } } : {}),
  };
}

function toBody({ content, title }: SharedItem): string {
  const body = JSON.stringify(content);
  const size = Buffer.byteLength(body);
  if (size <= CONTENT_LIMIT) return body;
  throw new GatewayError(
    'BODY_TOO_LARGE',
    `"${toPreview(title, 60)}" has ${size} bytes, and what is shared without a file may have ${CONTENT_LIMIT}; share a part of it, or a file`,
  );
}

async function toEdit(
  context: SharingContext,
  contact: Contact,
  id: string,
  content: string | undefined,
): Promise<Parcel> {
  if (content === undefined) throw new GatewayError('INVALID_PARAMS', 'an edit needs the new content');
  const held = await findHeld(context, Number(id));
  if (held.contact_id !== contact.id || held.permissions !== 'read-write') {
    throw new GatewayError(
      'INVALID_PARAMS',
      `inbox item ${id} is not one that ${contact.name} shared for editing; only read-write items can be sent back`,
    );
  }
  const body = JSON.stringify({ of: held.item_id, content });
  return { itemId: createItemId(), kind: 'edit', body, title: held.title };
}

async function isOnline(context: SharingContext, { connected }: Contact): Promise<boolean> {
  return connected === 1 && (await isReachable(context));
}

function toDeliveryText(done: string, online: boolean): string {
  return online ? `${done}; they are online.` : `${done}; it waits until they are online.`;
}

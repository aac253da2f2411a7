/** What others sent. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { defineTool } from '../../builtin.ts';
import { fence } from '../../fence.ts';
import type { SharingContext } from '../context.ts';
import {
  countInbox,
  findHeld,
  type Held,
  type InboxFilter,
  listHeld,
  noteRead,
  removeHeld,
} from '../rows/inbox.ts';
import { clear, toReceivedName } from '../rows/received.ts';

/** Messages up to this long are shown whole in the list, and count as read then. */
const SHOWN_LENGTH = 2_000;

const entry = z.object({
  id: z.int(),
  from: z.string(),
  kind: z.enum(['message', 'item', 'edit']),
  share_type: z.string().optional(),
  title: z.string().optional(),
  permissions: z.enum(['read', 'read-write', 'one-time']).optional(),
  unread: z.boolean(),
  received_at: z.string(),
  content: z.string().optional(),
  file: z.object({ name: z.string(), sha256: z.string(), path: z.string().optional() }).optional(),
});

/** Lists what came, or reads or removes one piece of it. */
export const inbox = defineTool({
  name: 'inbox',
  title: 'Inbox',
  description: 'List messages and shared items, or read or remove one by its id',
  input: z.object({
    id: z.int().optional(),
    remove: z.boolean().default(false),
    unread_only: z.boolean().default(false),
    before: z.int().optional().describe('only ids below this one'),
    limit: z.int().min(1).max(100).default(20),
  }),
  output: z.object({ entries: z.array(entry), unread: z.int(), removed: z.int().optional() }),
  // Reading a one-time item uses it up.
  annotations: { openWorldHint: false },
  async run({ id, remove, ...filter }, context: SharingContext) {
    if (remove) return removeOne(context, id);
    const entries =
      id === undefined ? await list(context, filter) : [await read(context, await findHeld(context, id))];
    const { unread } = await countInbox(context);
    return { entries, unread };
  },
  toText({ entries, unread, removed }) {
    if (removed !== undefined) return `Removed ${removed}; ${unread} unread.`;
    if (entries.length === 0) return 'Nothing there.';
    return `${unread} unread. ${fence(entries.map(toEntryText).join('\n\n'))}`;
  },
});

type Entry = z.input<typeof entry>;

async function removeOne(
  context: SharingContext,
  id: number | undefined,
): Promise<{ entries: Entry[]; unread: number; removed: number }> {
  if (id === undefined)
    throw new GatewayError('INVALID_PARAMS', 'remove needs the id of one item; nothing was removed');
  await removeHeld(context, id);
  const { unread } = await countInbox(context);
  return { entries: [], unread, removed: id };
}

async function list(context: SharingContext, filter: InboxFilter): Promise<Entry[]> {
  const rows = await listHeld(context, filter);
  const shown = rows.filter((row) => row.kind === 'message' && toContent(row).length <= SHOWN_LENGTH);
  await noteRead(context, shown);
  return rows.map((row) => ({
    ...toEntry(row),
    ...(row.kind === 'message' ? { content: toBeginning(toContent(row)) } : {}),
  }));
}

function toBeginning(text: string): string {
  // A cut may leave half of a character at the end.
  return text.slice(0, SHOWN_LENGTH).replace(/\p{Cs}$/u, '');
}

async function read(context: SharingContext, held: Held): Promise<Entry> {
  const isOnce = held.permissions === 'one-time';
  const found = toEntry(held);
  const content = toContent(held);
  const name = toReceivedName(held);
  const file = found.file && { ...found.file, path: await context.files.path('received', name) };
  if (isOnce && file) await context.files.spare('received', name);
  // Last, so that it is not used up in vain. Whoever clears it first may read it; the second finds it used.
  if (isOnce && !(await clear(context.db, held.id, 'used'))) await findHeld(context, held.id);
  await noteRead(context, [held]);
  return { ...found, content, ...(file ? { file } : {}) };
}

function toEntry(row: Held): Entry {
  const { id, from, kind, share_type, title, permissions, received_at, file_name, file_sha256 } = row;
  return {
    id,
    from,
    kind,
    ...(share_type === null ? {} : { share_type }),
    ...(title === '' ? {} : { title }),
    ...(permissions === null ? {} : { permissions }),
    unread: row.read_at === null,
    received_at,
    ...(file_sha256 === null ? {} : { file: { name: file_name ?? '', sha256: file_sha256 } }),
  };
}

/** Text as it is, anything else as JSON. */
function toContent({ body }: Pick<Held, 'body'>): string {
  const content: unknown = JSON.parse(body ?? '""');
  return typeof content === 'string' ? content : JSON.stringify(content);
}

function toEntryText({
  id,
  from,
  kind,
  share_type,
  title,
  permissions,
  content,
  file,
  unread,
}: Entry): string {
  const what = [unread ? 'NEW' : '', kind === 'edit' ? 'edit of' : '', share_type ?? kind, title ?? '']
    .filter((part) => part !== '')
    .join(' ');
  const stay = permissions === 'one-time' ? ', which stays for an hour; copy it to keep it' : '';
  const where = file ? `\nfile ${file.name}${file.path === undefined ? '' : ` at ${file.path}${stay}`}` : '';
  const may = permissions === undefined ? '' : ` (${permissions})`;
  return `${id}. ${what}${may} from ${from}${where}${content === undefined ? '' : `\n${content}`}`;
}

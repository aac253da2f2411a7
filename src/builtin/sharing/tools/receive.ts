/** What others sent. */
import * as z from 'zod';
import { defineTool } from '../../builtin.ts';
import { fence } from '../../fence.ts';
import { clear, toReceivedName } from '../rows/received.ts';
import type { SharingContext } from '../tools.ts';
import { findHeld, type Held } from './held.ts';

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

/** Lists what came, or reads one piece of it. */
export const inbox = defineTool({
  name: 'inbox',
  title: 'Inbox',
  description: 'List messages and shared items, or read one by its id',
  input: z.object({
    id: z.int().optional(),
    unread_only: z.boolean().default(false),
    before: z.int().optional().describe('only ids below this one'),
    limit: z.int().min(1).max(100).default(20),
  }),
  output: z.object({ entries: z.array(entry), unread: z.int() }),
  // Reading a one-time item uses it up.
  annotations: { openWorldHint: false },
  async run({ id, ...filter }, context: SharingContext) {
    const entries =
      id === undefined ? await list(context, filter) : [await read(context, await findHeld(context, id))];
    return { entries, unread: await countUnread(context) };
  },
  toText({ entries, unread }) {
    if (entries.length === 0) return 'Nothing there.';
    return `${unread} unread. ${fence(entries.map(toEntryText).join('\n\n'))}`;
  },
});

type Entry = z.input<typeof entry>;

interface Filter {
  readonly unread_only: boolean;
  readonly before?: number | undefined;
  readonly limit: number;
}

async function list(context: SharingContext, filter: Filter): Promise<Entry[]> {
  const { unread_only, before, limit } = filter;
  const rows = await context.db
    .selectFrom('sharing_received as item')
    .innerJoin('sharing_contacts as contact', 'contact.id', 'item.contact_id')
    .selectAll('item')
    .select('contact.name as from')
    .where('item.principal', '=', context.principal)
    .where('item.state', '=', 'held')
    .$if(unread_only, (query) => query.where('item.read_at', 'is', null))
    .$if(before !== undefined, (query) => query.where('item.id', '<', before ?? 0))
    .orderBy('item.id', 'desc')
    .limit(limit)
    .execute();
  const shown = rows.filter((row) => row.kind === 'message' && toContent(row).length <= SHOWN_LENGTH);
  await noteRead(context, shown);
  return rows.map((row) => ({
    ...toEntry(row),
    ...(row.kind === 'message' ? { content: toContent(row).slice(0, SHOWN_LENGTH) } : {}),
  }));
}

async function read(context: SharingContext, held: Held): Promise<Entry> {
  const isOnce = held.permissions === 'one-time';
  const found = toEntry(held);
  const name = toReceivedName(held);
  if (isOnce && found.file) await context.files.spare('received', name);
  // Whoever clears it first may read it; the second finds it used.
  if (isOnce && !(await clear(context.db, held.id, 'used'))) await findHeld(context, held.id);
  await noteRead(context, [held]);
  return {
    ...found,
    content: toContent(held),
    ...(found.file ? { file: { ...found.file, path: await context.files.path('received', name) } } : {}),
  };
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
  return typeof content === 'string' ? content : JSON.stringify(content, null, 2);
}

async function noteRead({ db, now }: SharingContext, rows: readonly Held[]): Promise<void> {
  const ids = rows.filter(({ read_at }) => read_at === null).map(({ id }) => id);
  if (ids.length === 0) return;
  await db
    .updateTable('sharing_received')
    .set({ read_at: now().toISOString() })
    .where('id', 'in', ids)
    .execute();
}

async function countUnread({ db, principal }: SharingContext): Promise<number> {
  const { count } = await db
    .selectFrom('sharing_received')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('principal', '=', principal)
    .where('state', '=', 'held')
    .where('read_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
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

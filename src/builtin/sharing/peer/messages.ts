/** What two peers say to one another; anything else is ignored, so that later versions may say more. */
import * as z from 'zod';
import type { JsonValue } from '../../../model/json.ts';
import { SHARED_KINDS } from '../../shared-item.ts';
import { MESSAGE_LIMIT } from '../limits.ts';

/** The version of this conversation. */
export const PROTOCOL_VERSION = 1;

/** Why an item was not taken: the first two pass by themselves. */
export const REFUSALS = ['full', 'unavailable', 'too_large', 'not_allowed', 'invalid'] as const;

/** One of them. */
export type Refusal = (typeof REFUSALS)[number];

/** True when sending it again later may help. */
export function passes(reason: Refusal): boolean {
  return reason === 'full' || reason === 'unavailable';
}

const id = () => z.string().regex(/^[0-9a-f]{32}$/);
const size = () => z.int().min(0);
const name = () => z.string().max(100).optional();
const content = () => z.custom<JsonValue>((value) => value !== undefined);

const hello = z.object({
  t: z.literal('hello'),
  v: z.int().min(1),
  name: name(),
  /** The secret of an invite, from whoever accepted it. */
  secret: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional(),
});
const ready = z.object({ t: z.literal('ready'), name: name() });
const refused = z.object({ t: z.literal('refused'), reason: z.string().max(40) });

const item = z.discriminatedUnion('kind', [
  z.object({
    t: z.literal('item'),
    id: id(),
    kind: z.literal('message'),
    text: z.string().min(1).max(MESSAGE_LIMIT),
    file: z.undefined().optional(),
  }),
  z.object({
    t: z.literal('item'),
    id: id(),
    kind: z.literal('item'),
    type: z.enum(SHARED_KINDS),
    title: z.string().max(500),
    permissions: z.enum(['read', 'read-write', 'one-time']),
    content: content(),
    file: z
      .object({ name: z.string().max(500), size: size(), sha256: z.string().regex(/^[0-9a-f]{64}$/) })
      .optional(),
  }),
  z.object({
    t: z.literal('item'),
    id: id(),
    kind: z.literal('edit'),
    of: id(),
    content: content(),
    file: z.undefined().optional(),
  }),
  z.object({ t: z.literal('item'), id: id(), kind: z.literal('revoke'), of: id() }),
]);
const ack = z.object({ t: z.literal('ack'), id: id() });
const nack = z.object({ t: z.literal('nack'), id: id(), reason: z.enum(REFUSALS).catch('invalid') });
const want = z.object({ t: z.literal('want'), id: id(), offset: size() });
const end = z.object({ t: z.literal('end'), id: id() });

/** Something to be kept at the other end. */
export type ItemMessage = z.output<typeof item>;

/** Everything that can be said. */
export type PeerMessage =
  | z.output<typeof hello>
  | z.output<typeof ready>
  | z.output<typeof refused>
  | ItemMessage
  | z.output<typeof ack>
  | z.output<typeof nack>
  | z.output<typeof want>
  | z.output<typeof end>;

const SCHEMAS: Readonly<Record<PeerMessage['t'], z.ZodType<PeerMessage>>> = {
  hello,
  ready,
  refused,
  item,
  ack,
  nack,
  want,
  end,
};

/** What was said; `invalid` for an item that is none, with its id when it has one, else undefined. */
export type Heard = PeerMessage | { readonly t: 'invalid'; readonly id: string };

/** Reads one message; what is not understood is undefined. */
export function parsePeerMessage(value: unknown): Heard | undefined {
  const kind = z.object({ t: z.string() }).safeParse(value);
  if (!kind.success || !Object.hasOwn(SCHEMAS, kind.data.t)) return undefined;
  const parsed = SCHEMAS[kind.data.t as PeerMessage['t']].safeParse(value);
  if (parsed.success) return parsed.data;
  const named = z.object({ t: z.literal('item'), id: id() }).safeParse(value);
  return named.success ? { t: 'invalid', id: named.data.id } : undefined;
}

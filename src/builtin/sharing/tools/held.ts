/** Finds what is in the inbox, or says what became of it. */
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { Sharing } from '../context.ts';
import type { Received } from '../rows/received.ts';

/** An item and who sent it. */
export type Held = Received & { readonly from: string };

/** The item with a number; refuses what is unknown, taken back or used up. */
export async function findHeld(
  { db, principal }: Pick<Sharing, 'db' | 'principal'>,
  id: number,
): Promise<Held> {
  const found = Number.isSafeInteger(id)
    ? await db
        .selectFrom('sharing_received as item')
        .innerJoin('sharing_contacts as contact', 'contact.id', 'item.contact_id')
        .selectAll('item')
        .select('contact.name as from')
        .where('item.principal', '=', principal)
        .where('item.id', '=', id)
        .where('item.state', '!=', 'arriving')
        .executeTakeFirst()
    : undefined;
  if (!found)
    throw new GatewayError(
      'INVALID_PARAMS',
      `there is nothing with the id ${id} in the inbox; call it without an id to see it`,
    );
  if (found.state === 'revoked')
    throw new GatewayError(
      'INVALID_PARAMS',
      `inbox item ${id} was revoked by ${found.from} and is gone; ask them to share it again`,
    );
  if (found.state === 'used')
    throw new GatewayError(
      'INVALID_PARAMS',
      `inbox item ${id} could be read once, and was; ask ${found.from} to share it again`,
    );
  return found;
}

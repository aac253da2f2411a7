/** The first words of a conversation: contacts are let in, strangers only with the secret of an open invite. */
import type { Sharing } from '../context.ts';
import { isInviteRefusal } from '../invites.ts';
import { findContactByKey, toName } from '../rows/contacts.ts';
import { completeJoin, findJoinSecret, redeemInvite, refuseJoin } from '../rows/invites.ts';
import { type Heard, PROTOCOL_VERSION } from './messages.ts';
import type { Mouth } from './mouth.ts';

/** What a greeting needs. */
export interface GreetingParts {
  readonly sharing: Sharing;
  /** Whose stream this is, hex. */
  readonly key: string;
  readonly mouth: Mouth;
  /** What they say next. */
  next(): Promise<Heard | undefined>;
}

/** True when both sides let each other in. */
export async function greet({ sharing, key, mouth, next }: GreetingParts): Promise<boolean> {
  const contact = await findContactByKey(sharing, key);
  if (contact?.blocked === 1) return false;
  const secret = contact ? undefined : await findJoinSecret(sharing, key);
  const name = sharing.name === undefined ? {} : { name: sharing.name };
  await mouth.say({
    t: 'hello',
    v: PROTOCOL_VERSION,
    ...name,
    ...(secret === undefined ? {} : { secret }),
  });
  const hello = await next();
  if (hello?.t !== 'hello') return false;
  if (!contact) {
    const verdict = await judge(sharing, { key, secret: hello.secret, name: toName(hello.name) });
    // Whoever accepted an invite of theirs waits for what they say to it.
    if (verdict !== 'welcome' && secret === undefined) {
      await mouth.say({ t: 'refused', reason: verdict });
      return false;
    }
  }
  await mouth.say({ t: 'ready', ...name });
  return hearVerdict({ sharing, key, next, isJoining: secret !== undefined });
}

/** What becomes of somebody we do not know yet. */
async function judge(
  sharing: Sharing,
  { key, secret, name }: { key: string; secret: string | undefined; name: string | undefined },
): Promise<string> {
  return secret === undefined ? 'stranger' : redeemInvite(sharing, { key, secret, name });
}

async function hearVerdict(parts: {
  readonly sharing: Sharing;
  readonly key: string;
  readonly isJoining: boolean;
  next(): Promise<Heard | undefined>;
}): Promise<boolean> {
  const { sharing, key, isJoining } = parts;
  const verdict = await parts.next();
  if (verdict?.t === 'ready') {
    if (isJoining) await completeJoin(sharing, key, toName(verdict.name));
    return true;
  }
  if (verdict?.t === 'refused' && isJoining)
    await refuseJoin(sharing, key, isInviteRefusal(verdict.reason) ? verdict.reason : 'unknown');
  return false;
}

/** Invites: a public key, a secret that works once and an hour it ends at, signed by whoever invites. */
import { createHash, randomBytes } from 'node:crypto';
import { GatewayError } from '../../errors/gateway-error.ts';
import { type Identity, isSignedBy, toFingerprint } from './identity.ts';

/** What an invite says. */
export interface Invite {
  /** The inviter's public key, hex. */
  readonly key: string;
  /** Hex. */
  readonly secret: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Why an invite is of no use. */
export type InviteRefusal = 'malformed' | 'altered' | 'expired' | 'own' | 'used' | 'unknown' | 'blocked';

const PREFIX = 'thimble-invite';
const VERSION = 1;
const KEY_BYTES = 32;
const SECRET_BYTES = 16;
const TIME_BYTES = 6;
const BODY_BYTES = 1 + KEY_BYTES + SECRET_BYTES + TIME_BYTES;
const SIGNATURE_BYTES = 64;

/** A new secret, hex. */
export function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex');
}

/** What the inviter keeps of a secret. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update('thimble invite 1').update(Buffer.from(secret, 'hex')).digest('hex');
}

/** The invite as a text to hand over. */
export function toInviteCode(identity: Identity, { secret, expiresAt }: Omit<Invite, 'key'>): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUIntBE(expiresAt, 0, TIME_BYTES);
  const body = Buffer.concat([
    Buffer.from([VERSION]),
    identity.pair.publicKey,
    Buffer.from(secret, 'hex'),
    time,
  ]).toString('base64url');
  const text = `${PREFIX}.${body}`;
  return `${text}.${identity.sign(text).toString('base64url')}`;
}

/** Reads an invite; refuses what was altered, what is too old and what is no invite at all. */
export function parseInviteCode(code: string, now: number): Invite {
  const [prefix, bodyText = '', signatureText = '', ...rest] = code.trim().split('.');
  const body = Buffer.from(bodyText, 'base64url');
  const signature = Buffer.from(signatureText, 'base64url');
  const isWhole = body.length === BODY_BYTES && signature.length === SIGNATURE_BYTES && rest.length === 0;
  // Base64 has several spellings of the same bytes; only one is ours.
  const isOurs = body.toString('base64url') === bodyText && signature.toString('base64url') === signatureText;
  if (prefix !== PREFIX || !isWhole || !isOurs || body[0] !== VERSION) throw toInviteError('malformed');
  const key = body.subarray(1, 1 + KEY_BYTES).toString('hex');
  if (!isSignedBy(key, `${PREFIX}.${bodyText}`, signature)) throw toInviteError('altered');
  const secret = body.subarray(1 + KEY_BYTES, 1 + KEY_BYTES + SECRET_BYTES).toString('hex');
  const expiresAt = body.readUIntBE(1 + KEY_BYTES + SECRET_BYTES, TIME_BYTES);
  if (expiresAt <= now) throw toInviteError('expired', key);
  return { key, secret, expiresAt };
}

const REASONS: Readonly<Record<InviteRefusal, string>> = {
  malformed: 'is not one of this program, or a part of it is missing; paste it whole, as it was given',
  altered: 'was altered or signed by somebody else; ask for it again over a channel you trust',
  expired: 'has expired; ask for a new one',
  own: 'is your own; give it to the person you want to share with',
  used: 'was used already, and an invite works once; ask for a new one',
  unknown: 'is not known to whoever made it, who may have begun anew; ask for a new one',
  blocked: 'is of a contact you blocked; unblock them first (revoke_access with block: false)',
};

/** The refusal as an error that says what to do. */
export function toInviteError(reason: InviteRefusal, key?: string): GatewayError {
  const whose = key === undefined ? '' : ` from ${toFingerprint(key)}`;
  return new GatewayError('INVALID_PARAMS', `this invite${whose} ${REASONS[reason]}`, {
    data: { reason: `invite_${reason}` },
  });
}

/** True for a reason a peer may have told us. */
export function isInviteRefusal(reason: string): reason is InviteRefusal {
  return Object.hasOwn(REASONS, reason);
}

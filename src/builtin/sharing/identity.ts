/** Who we are to others: an ed25519 key pair, its short name, and the number two people compare. */
import { createHash, createPrivateKey, createPublicKey, randomBytes, sign, verify } from 'node:crypto';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { Cipher } from '../../store/cipher.ts';
import type { SharingDb } from './context.ts';

/** A key pair as the network takes it. */
export interface KeyPair {
  readonly publicKey: Buffer;
  /** The seed followed by the public key. */
  readonly secretKey: Buffer;
}

/** The key pair of one principal, and what it is good for. */
export interface Identity {
  /** Hex. */
  readonly key: string;
  readonly fingerprint: string;
  readonly pair: KeyPair;
  sign(text: string): Buffer;
}

/** What stands before a bare key where a whole file format is asked for (RFC 8410). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const SEED_BYTES = 32;
/** Without letters that are mistaken for others. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const FINGERPRINT_LETTERS = 16;
const SAFETY_GROUPS = 8;

/** Makes an identity from 32 bytes. */
export function toIdentity(seed: Buffer): Identity {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PRIVATE_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const publicKey = Buffer.from(spki.subarray(PUBLIC_PREFIX.length));
  const key = publicKey.toString('hex');
  return {
    key,
    fingerprint: toFingerprint(key),
    pair: { publicKey, secretKey: Buffer.concat([seed, publicKey]) },
    sign: (text) => sign(null, Buffer.from(text), privateKey),
  };
}

/** True when the owner of a public key (hex) signed the text. */
export function isSignedBy(key: string, text: string, signature: Buffer): boolean {
  const publicKey = createPublicKey({
    key: Buffer.concat([PUBLIC_PREFIX, Buffer.from(key, 'hex')]),
    format: 'der',
    type: 'spki',
  });
  return verify(null, Buffer.from(text), publicKey, signature);
}

/** A public key (hex) as people can read it out: 80 bits in four groups. */
export function toFingerprint(key: string): string {
  const digest = createHash('sha256').update(Buffer.from(key, 'hex')).digest();
  let bits = BigInt(`0x${digest.subarray(0, 10).toString('hex')}`);
  let letters = '';
  for (let at = 0; at < FINGERPRINT_LETTERS; at++) {
    letters = `${ALPHABET[Number(bits & 31n)]}${letters}`;
    bits >>= 5n;
  }
  return letters.replace(/(.{4})(?=.)/g, '$1-');
}

/** Forty digits that are the same at both ends, and only there, when nobody stands between. */
export function toSafetyNumber(one: string, other: string): string {
  const digest = createHash('sha512')
    .update('thimble safety number 1')
    .update(Buffer.from([one, other].sort().join(''), 'hex'))
    .digest();
  const groups = Array.from({ length: SAFETY_GROUPS }, (_, at) => digest.readUIntBE(at * 6, 6) % 100_000);
  return groups.map((group) => String(group).padStart(5, '0')).join(' ');
}

/** What an identity is kept in. */
export interface IdentityParts {
  readonly db: SharingDb;
  readonly principal: string;
  readonly cipher: Cipher;
  readonly now: () => Date;
}

/** Finds the identity of a principal, or makes it; two processes that start at once end with the same. */
export async function findIdentity(parts: IdentityParts): Promise<Identity> {
  const found = await readIdentity(parts);
  if (found) return found;
  const seed = randomBytes(SEED_BYTES);
  const { principal, cipher, db } = parts;
  await db
    .insertInto('sharing_identities')
    .values({
      principal,
      public_key: toIdentity(seed).key,
      sealed: await cipher.seal(seed.toString('base64'), toAbout(principal)),
      created_at: parts.now().toISOString(),
    })
    .onConflict((conflict) => conflict.column('principal').doNothing())
    .execute();
  return (await readIdentity(parts)) ?? toIdentity(seed);
}

async function readIdentity({ db, principal, cipher }: IdentityParts): Promise<Identity | undefined> {
  const row = await db
    .selectFrom('sharing_identities')
    .select(['public_key', 'sealed'])
    .where('principal', '=', principal)
    .executeTakeFirst();
  if (!row) return undefined;
  const seed = await cipher.open(row.sealed, toAbout(principal));
  const identity = seed === undefined ? undefined : toIdentity(Buffer.from(seed, 'base64'));
  if (identity?.key === row.public_key) return identity;
  throw new GatewayError(
    'STORE_UNAVAILABLE',
    `the key of ${toFingerprint(row.public_key)} was sealed with another key than the one in use; put back the secret.key or THIMBLE_KEY it was made with`,
  );
}

function toAbout(principal: string): string {
  return JSON.stringify(['sharing identity', principal]);
}

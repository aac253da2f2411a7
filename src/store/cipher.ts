/** Seals text that must not be readable at rest: AES-256-GCM, bound to what the text is about. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Seals and opens text; `about` must be the same both times, so that sealed texts cannot change places. */
export interface Cipher {
  seal(text: string, about: string): Promise<string>;
  /** The text, or undefined when it was altered, moved, or sealed with a key we do not have. */
  open(sealed: string, about: string): Promise<string | undefined>;
}

const ALGORITHM = 'aes-256-gcm';
const VERSION = 'v1.';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Creates a cipher; a key is asked for when a text is sealed or opened, and without one nothing opens. */
export function createCipher(
  toSeal: () => Promise<Buffer>,
  toOpen: () => Promise<Buffer | undefined> = toSeal,
): Cipher {
  return {
    async seal(text, about) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, await toSeal(), nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(about));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    async open(sealed, about) {
      if (!sealed.startsWith(VERSION)) return undefined;
      const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const key = await toOpen();
      return key && decrypt(bytes, about, key);
    },
  };
}

function decrypt(bytes: Buffer, about: string, key: Buffer): string | undefined {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(about));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const body = bytes.subarray(NONCE_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  } catch {
    // Node says no more than that the tag does not fit.
    return undefined;
  }
}

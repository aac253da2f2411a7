/** The local token: whoever can read the data directory may use the admin API, and nobody else. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { editFile } from '../lib/edit-file.ts';

const TOKEN = /^tk_[A-Za-z0-9_-]{43}$/;

const FILE = 'admin-token';

/** Reads the token, making one when there is none. */
export async function openToken(home: string): Promise<string> {
  const { after } = await editFile(join(home, FILE), (before) =>
    before !== undefined && TOKEN.test(before.trim())
      ? before
      : `tk_${randomBytes(32).toString('base64url')}\n`,
  );
  return after.trim();
}

/** True when a request's `Authorization` carries the token; takes as long for every wrong one. */
export function carriesToken(header: string | null, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1] ?? '';
  return timingSafeEqual(toHash(given), toHash(token));
}

function toHash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

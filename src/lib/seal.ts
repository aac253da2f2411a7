/** Text that went through foreign hands and must come back unchanged, in time. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Seals values and opens what was sealed here. */
export interface Seal<T> {
  seal(value: T, lifetimeMs: number): string;
  /** The value, or undefined when the text was altered, is too old or was never ours. */
  open(text: string): T | undefined;
}

/** Creates a seal with a key of its own. */
export function createSeal<T>(now: () => number = Date.now, key: Buffer = randomBytes(32)): Seal<T> {
  const sign = (body: string) => createHmac('sha256', key).update(body).digest();
  return {
    seal(value, lifetimeMs) {
      const body = Buffer.from(JSON.stringify({ value, until: now() + lifetimeMs })).toString('base64url');
      return `${body}.${sign(body).toString('base64url')}`;
    },
    open(text) {
      const [body = '', signature = ''] = text.split('.');
      const expected = sign(body);
      const given = Buffer.from(signature, 'base64url');
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const { value, until } = JSON.parse(Buffer.from(body, 'base64url').toString()) as {
        value: T;
        until: number;
      };
      return now() <= until ? value : undefined;
    },
  };
}

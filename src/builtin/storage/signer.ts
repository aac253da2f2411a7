/** Signs addresses of the gateway's own HTTP server, so that whoever has one may use it until it expires. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { toNoServerError } from './refusals.ts';

/** What an address is good for; one purpose's signature is no use for the other. */
export type Purpose = 'file' | 'upload';

/** What a signature turned out to be. */
export type Verdict = 'good' | 'expired' | 'wrong';

/** Makes and checks signed addresses. */
export interface Signer {
  /** The signed address; refused when there is no server to point to. */
  toUrl(purpose: Purpose, key: string, seconds: number): string;
  check(purpose: Purpose, key: string, query: URLSearchParams): Verdict;
}

/** Where the key and the server are found. */
export interface SignerOptions {
  readonly secret: Buffer;
  /** The address of the gateway's HTTP server, once it listens. */
  readonly baseUrl: () => string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const WHAT: Readonly<Record<Purpose, string>> = { file: 'a download link', upload: 'an upload URL' };

/** Creates a signer. */
export function createSigner({ secret, baseUrl, now }: SignerOptions): Signer {
  const sign = (purpose: Purpose, key: string, expires: string): string =>
    createHmac('sha256', secret)
      .update(JSON.stringify([purpose, key, expires]))
      .digest('hex');
  return {
    toUrl(purpose, key, seconds) {
      const base = baseUrl();
      if (base === undefined) throw toNoServerError(WHAT[purpose]);
      const expires = String(Math.floor(now() / 1000) + seconds);
      // The server may be reached under a path of its own, behind a proxy.
      const url = new URL(`${base.replace(/\/+$/, '')}/storage/${purpose}/${key}`);
      url.searchParams.set('expires', expires);
      url.searchParams.set('signature', sign(purpose, key, expires));
      return url.href;
    },
    check(purpose, key, query) {
      const expires = query.get('expires') ?? '';
      const given = Buffer.from(query.get('signature') ?? '');
      const expected = Buffer.from(sign(purpose, key, expires));
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'wrong';
      return now() < Number(expires) * 1000 ? 'good' : 'expired';
    },
  };
}

/** Turns what a page is into an answer: guards, validators, and nothing sent twice that the reader still has. */
import { createHash } from 'node:crypto';

/** What is to be answered. */
export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  /** When it last changed. */
  readonly changedAt?: string | undefined;
  /** True when another content would have another address. */
  readonly isForever?: boolean;
}

/** No script, no style but our own sheet, no frame around it. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' https: http:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** For every answer of the blog. */
export const GUARDS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

const FOREVER = 'public, max-age=31536000, immutable';

/** The answer to a request; 304 when the reader has it already. */
export function respond(request: Request, reply: Reply, now: Date): Response {
  const etag = `"${toDigest(reply.body)}"`;
  const modified = toModified(reply.changedAt, now);
  const headers = {
    ...GUARDS,
    'content-type': reply.type,
    'cache-control': reply.isForever ? FOREVER : 'no-cache',
    etag,
    ...(modified !== undefined && { 'last-modified': modified }),
  };
  if (reply.status === 200 && isFresh(request, etag, modified))
    return new Response(null, { status: 304, headers });
  const bytes = new TextEncoder().encode(reply.body);
  return new Response(request.method === 'HEAD' ? null : bytes, {
    status: reply.status,
    headers: { ...headers, 'content-length': String(bytes.length) },
  });
}

/** Whether the reader's copy is still good. */
export function isFresh({ headers }: Request, etag: string, modified: string | undefined): boolean {
  const tags = headers.get('if-none-match');
  if (tags !== null)
    return tags === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  const since = Date.parse(headers.get('if-modified-since') ?? '');
  return modified !== undefined && Date.parse(modified) <= since;
}

/** Sends the reader elsewhere for good. */
export function redirect(location: string): Response {
  return new Response(null, { status: 301, headers: { ...GUARDS, location } });
}

/** A short name for a content. */
export function toDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Dates of HTTP count seconds: one that is not over yet may see another change, and is not told. */
function toModified(changedAt: string | undefined, now: Date): string | undefined {
  if (changedAt === undefined) return undefined;
  const seconds = Math.floor(Date.parse(changedAt) / 1000);
  return seconds < Math.floor(now.getTime() / 1000) ? new Date(seconds * 1000).toUTCString() : undefined;
}

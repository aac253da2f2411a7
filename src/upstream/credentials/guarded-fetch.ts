/** A fetch for addresses that a server named: no way inside, no plain HTTP, no redirects, bounded size and time. */
import { promises as dns, type LookupAddress, lookup } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { GatewayError } from '../../errors/gateway-error.ts';
import { readBody, toPublicUrl } from '../http/dial.ts';
import { isInsideAddress } from './inside.ts';

/** What the SDK takes for a fetch. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const LIMIT_BYTES = 1024 * 1024;
const TIMEOUT_MS = 15_000;
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Finds the addresses of a name. */
type Lookup = (hostname: string) => Promise<readonly string[]> | readonly string[];

const lookupAll: Lookup = async (hostname) =>
  (await dns.lookup(hostname, { all: true })).map(({ address }) => address);

/**
 * Creates a fetch on behalf of one upstream. A server out in the network may not send us inside; one that is
 * inside itself may name its neighbours.
 */
export function createGuardedFetch(upstream: URL, lookup: Lookup = lookupAll): Fetch {
  let known: boolean | undefined;
  const isInside = async () => {
    // A lookup that failed says nothing, and is made again.
    known ??= await isInsideHost(upstream.hostname, lookup);
    return known === true;
  };
  return async (address, init = {}) => {
    const url = new URL(address);
    const mayEnter = url.hostname === upstream.hostname || (await isInside());
    await refuseStrange(url, upstream, { mayEnter, lookup });
    const response = await request(url, init, mayEnter);
    const status = response.statusCode ?? 0;
    const body = await readBody(response, LIMIT_BYTES).catch((error: Error) => {
      throw error instanceof GatewayError ? error : toUnreachable(url, error);
    });
    return new Response(NO_BODY.has(status) ? null : body, { status, headers: toHeaders(response) });
  };
}

async function refuseStrange(
  url: URL,
  upstream: URL,
  { mayEnter, lookup }: { readonly mayEnter: boolean; readonly lookup: Lookup },
): Promise<void> {
  if (url.protocol === 'http:') {
    if (url.origin !== upstream.origin && !(await isInsideHost(url.hostname, lookup)))
      throw refuse(url, upstream, 'is not reached over https');
  } else if (url.protocol !== 'https:') throw refuse(url, upstream, 'is no web address');
  // A name is judged by what it resolves to, at the moment it is dialled.
  if (!mayEnter && isAddress(url.hostname) && isInsideAddress(url.hostname))
    throw refuse(url, upstream, 'is inside this network');
}

function request(url: URL, init: RequestInit, mayEnter: boolean): Promise<http.IncomingMessage> {
  const dialled: typeof http.request = url.protocol === 'https:' ? https.request : http.request;
  const body = init.body === undefined || init.body === null ? undefined : String(init.body);
  const headers = Object.fromEntries(new Headers(init.headers).entries());
  if (init.body instanceof URLSearchParams) headers['content-type'] ??= 'application/x-www-form-urlencoded';
  if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
  return new Promise((resolve, reject) => {
    const outgoing = dialled(
      url,
      {
        method: init.method ?? 'GET',
        headers,
        // A kept connection may have been made by somebody who was let in.
        agent: false,
        signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(init.signal ? [init.signal] : [])]),
        ...(!mayEnter && { lookup: lookupOutside }),
      },
      resolve,
    );
    outgoing.on('error', (error) => reject(toUnreachable(url, error)));
    outgoing.end(body);
  });
}

function toUnreachable(url: URL, error: NodeJS.ErrnoException): GatewayError {
  const reason = error.code ?? error.name;
  const message = `cannot reach ${toPublicUrl(url)} to log in (${reason})`;
  return new GatewayError('UPSTREAM_UNAVAILABLE', message, { data: { reason } });
}

/** Resolves a name, and fails when any of its addresses is inside. */
const lookupOutside: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[] = []) => {
    const [first] = found;
    if (error || !first) return done(error ?? toInsideError(), '', 0);
    if (found.some(({ address }) => isInsideAddress(address))) return done(toInsideError(), '', 0);
    if (options.all) done(null, found);
    else done(null, first.address, first.family);
  });
};

function toInsideError(): NodeJS.ErrnoException {
  return Object.assign(new Error('the name leads inside this network'), { code: 'INSIDE' });
}

/** True when every address of a host is inside; undefined when they cannot be found out. */
async function isInsideHost(hostname: string, lookup: Lookup): Promise<boolean | undefined> {
  if (isAddress(hostname)) return isInsideAddress(hostname);
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true;
  try {
    const found = await lookup(hostname);
    return found.length > 0 && found.every(isInsideAddress);
  } catch {
    return undefined;
  }
}

function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}

function toHeaders(response: http.IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers))
    for (const each of [value ?? []].flat()) headers.append(name, each);
  return headers;
}

function refuse(url: URL, upstream: URL, why: string): GatewayError {
  return new GatewayError(
    'UPSTREAM_AUTH',
    `${toPublicUrl(upstream)} names ${toPublicUrl(url)} for logging in, which ${why} and is left alone`,
  );
}

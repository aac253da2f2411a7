/** HTTP requests over kept-alive connections, with typed errors; follows redirects within one origin only. */
import * as http from 'node:http';
import * as https from 'node:https';
import { GatewayError } from '../../errors/gateway-error.ts';
import { toTooLongError } from '../../wire/line-channel.ts';
import { toUnsentError } from '../../wire/unsent.ts';
import type { Headers } from '../upstream.ts';

/** One request to send. */
interface DialRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Headers;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Sends requests over connections it keeps. */
export interface Dialer {
  /** Resolves when the head of the answer is there. */
  send(request: DialRequest): Promise<http.IncomingMessage>;
  close(): void;
}

const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308]);
/** Shorter than any common server's own idle limit, so that we never write to a connection it is just closing. */
const IDLE_MS = 4_000;

/** Creates a dialer with connections of its own. */
export function createDialer(): Dialer {
  const options = { keepAlive: true, timeout: IDLE_MS };
  const plain = new http.Agent(options);
  const secure = new https.Agent(options);

  async function send(request: DialRequest): Promise<http.IncomingMessage> {
    let { url } = request;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await sendOnce({ ...request, url }, url.protocol === 'https:' ? secure : plain);
      const { location } = response.headers;
      if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) return response;
      response.resume();
      url = toRedirect(url, location);
    }
    throw new GatewayError('UPSTREAM_PROTOCOL', `${toPublicUrl(url)} redirects in a circle; check the URL`);
  }

  return {
    send,
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

/** A URL as it may be shown: without credentials, query and long parts of the path, which often hold secrets. */
export function toPublicUrl(url: URL): string {
  const shown = url.pathname.split('/').map((part) => (part.length <= 12 ? part : '…'));
  return `${url.origin}${shown.join('/')}`;
}

/** Reads a whole body as text; throws RESULT_TOO_LARGE past the limit. */
export async function readBody(response: http.IncomingMessage, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limitBytes) throw toTooLongError(size, limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}

const NOBODY = 'give it valid credentials in "headers"';
const NO_RIGHT =
  'it lets us do nothing with this login or the "headers" it is given; ask who runs it for the right';
const AT_FAULT = 'the fault is its own: try again later, or look into its log';

/** The error for a status that is no success. */
export function toStatusError(response: http.IncomingMessage, url: URL): GatewayError {
  const status = response.statusCode ?? 0;
  const data = { status };
  if (status === 401 || status === 403) {
    const challenge = response.headers['www-authenticate'];
    return new GatewayError(
      'UPSTREAM_AUTH',
      `${toPublicUrl(url)} answered ${status}; ${status === 401 ? NOBODY : NO_RIGHT}`,
      { data: challenge === undefined ? data : { ...data, challenge } },
    );
  }
  const retryInMs = toRetryMs(response);
  if (status === 429 || (status === 503 && retryInMs !== undefined)) {
    const when = retryInMs === undefined ? 'later' : `in ${Math.ceil(retryInMs / 1000)} s`;
    return new GatewayError(
      'TOO_BUSY',
      `${toPublicUrl(url)} answered ${status}: it is asked too much; try again ${when}`,
      { data: retryInMs === undefined ? data : { ...data, retryInMs } },
    );
  }
  const code = status >= 500 ? 'UPSTREAM_UNAVAILABLE' : 'UPSTREAM_PROTOCOL';
  const wayOut = status >= 500 ? AT_FAULT : 'check the URL';
  return new GatewayError(code, `${toPublicUrl(url)} answered ${status}; ${wayOut}`, { data });
}

/** How long a server asks to be left alone, said in seconds or as a date; at most an hour is believed. */
export function toRetryMs({ headers }: http.IncomingMessage): number | undefined {
  const header = headers['retry-after'];
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(3_600_000, Math.max(0, ms));
}

function sendOnce(request: DialRequest, agent: http.Agent): Promise<http.IncomingMessage> {
  const { url, method, headers, body, signal } = request;
  const dialled: typeof http.request = url.protocol === 'https:' ? https.request : http.request;
  return new Promise((resolve, reject) => {
    let connected = false;
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const outgoing = dialled(url, { method, agent, signal, headers: { ...headers, ...length } }, resolve);
    outgoing.setNoDelay(true);
    outgoing.on('socket', (socket) => {
      // A kept connection is never ready anew: a listener on it would stay for good.
      connected = !socket.connecting;
      if (socket.connecting) {
        socket.once('ready', () => {
          connected = true;
        });
      }
    });
    outgoing.on('error', (error) => reject(toDialError(error, url, connected)));
    outgoing.end(body);
  });
}

function toDialError(error: Error, url: URL, connected: boolean): GatewayError {
  const { code = error.name } = error as NodeJS.ErrnoException;
  const where = toPublicUrl(url);
  const message = connected
    ? `the connection to ${where} broke before the answer (${code})`
    : `cannot reach ${where} (${code}); is it running, and is the URL right?`;
  const failure = new GatewayError('UPSTREAM_UNAVAILABLE', message, { cause: error, data: { reason: code } });
  return connected ? failure : toUnsentError(failure);
}

function toRedirect(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (to?.origin === from.origin) return to;
  throw new GatewayError(
    'UPSTREAM_UNAVAILABLE',
    `${toPublicUrl(from)} redirects to another origin, where our headers must not go; configure that URL instead`,
  );
}

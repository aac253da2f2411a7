/** Waits on this machine for the one request by which an authorization server sends a person back. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { createDeferred } from '../deferred.ts';

/** A callback address that is listened on. */
export interface Loopback extends AsyncDisposable {
  readonly redirectUrl: string;
  /** What the first request with this state carries; others are refused. Rejects when nobody comes in time. */
  answer(state: string | null): Promise<URLSearchParams>;
}

/** How to listen. */
export interface LoopbackOptions {
  /** Any free port unless told. */
  readonly port?: number | undefined;
  readonly clock: Clock;
  /** How long a person may take. */
  readonly limitMs?: number;
}

const HOST = '127.0.0.1';
const ORIGIN = `http://${HOST}`;
const PATH = '/callback';
const LIMIT_MS = 10 * 60_000;

/** Starts to listen. */
export async function openLoopback({
  port = 0,
  clock,
  limitMs = LIMIT_MS,
}: LoopbackOptions): Promise<Loopback> {
  const answered = createDeferred<URLSearchParams>();
  answered.promise.catch(() => {});
  let expected: string | null | undefined;
  const server = createServer((request, response) => {
    const { method, url: asked = '/' } = request;
    // Whatever runs on this machine may send what is no address.
    const url = URL.canParse(asked, ORIGIN) ? new URL(asked, ORIGIN) : undefined;
    if (method !== 'GET' || url?.pathname !== PATH) return reply(response, 404, 'There is nothing here.');
    if (!expected || url.searchParams.get('state') !== expected)
      return reply(response, 400, 'This answer belongs to no login that is under way here.');
    expected = undefined;
    reply(response, 200, 'Thimble has its answer; you can close this page and go back to the terminal.');
    answered.resolve(url.searchParams);
  });
  await listen(server, port);
  const { port: bound } = server.address() as AddressInfo;
  let cancel = () => {};
  return {
    redirectUrl: `${ORIGIN}:${bound}${PATH}`,
    answer(state) {
      expected = state;
      const late = new GatewayError('UPSTREAM_AUTH', 'nobody finished the login in time; start it again');
      cancel = clock.after(limitMs, () => answered.reject(late));
      return answered.promise;
    },
    async [Symbol.asyncDispose]() {
      cancel();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new GatewayError(
          'BIND_REFUSED',
          `cannot listen on ${HOST}:${port} for the callback (${error.code}); end what uses it, or set another "redirectPort" in "auth"`,
        ),
      ),
    );
    server.listen(port, HOST, resolve);
  });
}

/** Says one sentence of ours: nothing of the request is shown. */
function reply(response: ServerResponse, status: number, sentence: string): void {
  response
    .writeHead(status, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      Connection: 'close',
    })
    .end(`${sentence}\n`);
}

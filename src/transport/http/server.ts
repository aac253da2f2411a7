/** The HTTP server: guards every request, leads MCP to its faces by the shortest way, and the rest to Hono. */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { toMessage } from '../../errors/from-unknown.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { toHttpStatus, toWireError } from '../../errors/to-wire.ts';
import type { Feed } from '../../events/feed.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { LOCAL_PRINCIPAL, type Principal } from '../../model/principal.ts';
import type { Sessions } from '../../session/session.ts';
import type { Shares } from '../../session/shares.ts';
import { CallCounter, toStoppingError } from '../calls.ts';
import { toKnownError } from '../fault.ts';
import {
  CLOSE_GRACE_MS,
  CONNECTION_LIMIT,
  DRAIN_MS,
  HEADER_COUNT_LIMIT,
  HEADER_LIMIT,
  HEADER_MS,
  REQUEST_MS,
  UPLOAD_MS,
} from '../limits.ts';
import { type Address, KNOWN_ADDRESSES, parseAddress } from './address.ts';
import { answerBadRequest } from './bad-request.ts';
import { createFairTurns } from './fair-turns.ts';
import { findForeignOrigin, isLoopback } from './guard.ts';
import { createMcpRoutes } from './mcp-routes.ts';
import { sendError } from './reply.ts';

/** Where to listen and what to serve. */
export interface HttpServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly sessions: Sessions;
  /** What `/health` answers. */
  readonly health: () => object | Promise<object>;
  readonly feed: Feed;
  readonly principal?: Principal;
  readonly clock?: Clock;
  readonly pages?: Pages;
  /** True for an `Authorization` that holds the local token; without it nobody is known to be the owner. */
  readonly isOwner?: ((authorization: string) => boolean) | undefined;
  /** What is shared; undefined where nothing can be. */
  readonly shares?: Pick<Shares, 'list' | 'used'> | undefined;
}

/** What is served beside MCP and health: pages and files of servers inside. */
export interface Pages {
  /** Answers a request; undefined when nobody has what it asks for. */
  answer(request: Request): Promise<Response | undefined>;
  /** True for addresses that take files, which may take their time. */
  takesUploads(path: string): boolean;
}

/** A server that listens. */
export interface HttpServer {
  readonly url: string;
  readonly port: number;
  /** Takes no more, lets calls in flight finish for a while, answers the rest itself, and ends every connection. */
  close(): Promise<void>;
}

const SERVER_OPTIONS: ServerOptions = {
  // Without its Host a request must still get our refusal, not the parser's.
  requireHostHeader: false,
  keepAliveTimeout: 60_000,
  maxHeaderSize: HEADER_LIMIT,
  headersTimeout: HEADER_MS,
  // Bounds of its own for what is no upload: see limitReading.
  requestTimeout: UPLOAD_MS,
  connectionsCheckingInterval: 2_000,
};

/** Listens; throws BIND_REFUSED when it may not or cannot. */
export async function openHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, sessions, feed, principal = LOCAL_PRINCIPAL, clock = systemClock } = options;
  if (!isLoopback(host))
    throw new GatewayError(
      'BIND_REFUSED',
      `${host} can be reached from other machines and the gateway has no users yet; listen on 127.0.0.1 (--host 127.0.0.1), and use a tunnel or a proxy with a login to reach it from elsewhere`,
      { data: { host } },
    );
  const calls = new CallCounter(clock);
  const turns = createFairTurns();
  const mcp = createMcpRoutes({ ...options, sessions, principal, feed, clock, calls });
  const others = getRequestListener(createApp(options).fetch, { overrideGlobalObjects: false });
  const server = createServer(SERVER_OPTIONS, receive);
  server.maxHeadersCount = HEADER_COUNT_LIMIT;
  server.maxConnections = CONNECTION_LIMIT;
  server.on('clientError', answerBadRequest);

  let running = 0;
  let closing = false;
  function onAnswered(): void {
    running -= 1;
    cutWhenQuiet();
  }
  function cutWhenQuiet(): void {
    // What is left then are connections kept for a next request, or opened for a first one.
    if (closing && running === 0) server.closeAllConnections();
  }

  function serveMcp(address: Address, request: IncomingMessage, response: ServerResponse): void {
    mcp
      .serve(address, { request, response })
      .catch((thrown) =>
        refuse(
          request,
          response,
          toKnownError(thrown, `${request.method} ${address.path.slice(0, 100)}`, feed),
        ),
      );
  }

  /** As little as can be: while a crowd arrives, nobody else is heard before all of it was here. */
  function receive(request: IncomingMessage, response: ServerResponse): void {
    running += 1;
    response.on('close', onAnswered);
    turns.take(toTurnKey(request), () => serve(request, response));
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    if (!options.pages?.takesUploads(request.url ?? '/')) limitReading(request, clock);
    const foreign = findForeignOrigin(request.headers);
    const address = foreign ? undefined : parseAddress(request.url ?? '/');
    if (foreign) refuse(request, response, foreign);
    else if (address) serveMcp(address, request, response);
    else if (calls.stopping) refuse(request, response, toKnownError(toStoppingError(), 'stop', feed));
    else void others(request, response);
  }

  const port = await listen(server, options);
  server.on('error', (error) => feed.publish({ type: 'fault', where: 'the HTTP server', error }));
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shownHost}:${port}`,
    port,
    async close() {
      await calls.drain(DRAIN_MS);
      closing = true;
      const closed = closeServer(server, clock);
      mcp.close();
      cutWhenQuiet();
      await closed;
    },
  };
}

function createApp({ health, feed, pages }: HttpServerOptions): Hono {
  const app = new Hono();
  app.get('/health', async (c) => c.json(await health()));
  app.use(async (c, next) => (await pages?.answer(c.req.raw)) ?? next());
  app.notFound((c) => {
    const error = new GatewayError(
      'ENDPOINT_NOT_FOUND',
      `nothing is at ${c.req.method} ${c.req.path.slice(0, 100)}; the addresses here are ${KNOWN_ADDRESSES}`,
    );
    return c.json({ jsonrpc: '2.0', id: null, error: { ...toWireError(error) } }, 404);
  });
  app.onError((thrown, c) => {
    const error = toKnownError(thrown, `${c.req.method} ${c.req.path.slice(0, 100)}`, feed);
    return Response.json(
      { jsonrpc: '2.0', id: null, error: toWireError(error) },
      { status: toHttpStatus(error) },
    );
  });
  return app;
}

/** Cuts a client that sends its request too slowly; what arrived whole with its head needs no watching. */
function limitReading(request: IncomingMessage, clock: Clock): void {
  if (
    request.complete ||
    (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined)
  )
    return;
  const cancel = clock.after(REQUEST_MS, () => {
    if (!request.complete) answerBadRequest({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, request.socket);
  });
  request.once('end', cancel).once('close', cancel);
}

/** Whose turn a request takes: its conversation's where there is one, else that of the tool or page it asks for. */
function toTurnKey({ headers, url = '' }: IncomingMessage): string {
  const { 'mcp-session-id': session, 'mcp-name': name } = headers;
  return String(session ?? name ?? url);
}

function refuse(request: IncomingMessage, response: ServerResponse, error: GatewayError | Error): void {
  const headers: Record<string, string> = {};
  if (error instanceof GatewayError && error.code === 'METHOD_NOT_ALLOWED')
    headers['allow'] = String(error.data['allow']);
  if (error instanceof GatewayError && error.code === 'TOKEN_REFUSED') headers['www-authenticate'] = 'Bearer';
  sendError(response, error, null, headers);
  // Closing instead would often take the refusal away from a client that is still sending.
  request.resume();
}

function listen(server: Server, { host, port }: HttpServerOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(toBindError(error, host, port)));
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port));
  });
}

function toBindError(error: NodeJS.ErrnoException, host: string, port: number): GatewayError {
  const taken = error.code === 'EADDRINUSE';
  const message = taken
    ? `port ${port} on ${host} is in use by another program, perhaps another Thimble; stop it, or choose another with --port`
    : `cannot listen on ${host}:${port} (${error.code ?? toMessage(error)}); choose another with --host and --port`;
  return new GatewayError('BIND_REFUSED', message, { cause: error, data: { host, port } });
}

/** Stops listening; resolves when the last connection is gone, and sees to it that this does not take long. */
function closeServer(server: Server, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancelTimer = clock.after(CLOSE_GRACE_MS, () => server.closeAllConnections());
    server.close(() => {
      cancelTimer();
      resolve();
    });
  });
}

/** Streamable HTTP of revision 2026-07-28: one POST, one request, nothing kept. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { GatewayError } from '../../errors/gateway-error.ts';
import { ERRORS } from '../../errors/table.ts';
import { toWireError } from '../../errors/to-wire.ts';
import { createCancel } from '../../lib/cancel.ts';
import { LISTEN } from '../../model/mcp.ts';
import type { ClientCall } from '../../session/session.ts';
import {
  isRequest,
  isResponse,
  type Message,
  type NotificationMessage,
  type RequestMessage,
} from '../../wire/message.ts';
import { toCutError, toFullError } from '../calls.ts';
import { checkModernMeta, hasModernClaim, isModernRevision, toListenEnd } from '../era.ts';
import { toKnownError } from '../fault.ts';
import { LISTENER_LIMIT } from '../limits.ts';
import { type Address, principalOf } from './address.ts';
import { Exchange } from './exchange.ts';
import { checkRequestHeaders, checkVersionHeader, paramHeadersOf } from './headers.ts';
import type { HttpContext, HttpExchange } from './http-context.ts';
import { sendEmpty, sendError } from './reply.ts';
import { endShares, type Shared } from './shared-things.ts';
import { openSse, toFrame } from './sse.ts';

/** Serves modern clients at every MCP address. */
export interface ModernFace {
  post(address: Address, message: Message, exchange: HttpExchange): void;
  /** Ends what runs by shares that are over; true when something by others still does. */
  endShares(isOver: (share: string) => boolean): boolean;
  /** Ends what still runs; listeners are told that their subscription is over. */
  close(): void;
}

interface Running extends Shared {
  readonly request: RequestMessage;
  readonly exchange: Exchange;
  readonly controller: ReturnType<typeof createCancel>;
}

/** Errors whose HTTP status the revision fixes, whoever raised them; others travel inside a 200. */
const WITH_STATUS: ReadonlyMap<number, number> = new Map(
  [
    ERRORS.METHOD_NOT_FOUND,
    ERRORS.MISSING_CAPABILITY,
    ERRORS.UNSUPPORTED_VERSION,
    ERRORS.HEADER_MISMATCH,
  ].map(({ jsonrpc, http }) => [jsonrpc, http]),
);

/** True for a POST that is to be read as one of the modern era. */
export function isModernPost(message: Message | undefined, headers: IncomingHttpHeaders): boolean {
  const params = message && 'method' in message ? message.params : undefined;
  return hasModernClaim(params) || isModernRevision(versionHeaderOf(headers));
}

/** The MCP-Protocol-Version header. */
export function versionHeaderOf(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['mcp-protocol-version'];
  return typeof value === 'string' ? value : undefined;
}

/** Creates the modern face. */
export function createModernFace(context: HttpContext): ModernFace {
  const running = new Set<Running>();
  let listeners = 0;

  async function serve(
    address: Address,
    request: RequestMessage,
    { request: incoming, response }: HttpExchange,
  ) {
    const params = request.params ?? {};
    checkEnvelope(request, incoming.headers);
    const paramHeaders = paramHeadersOf(incoming.headers);
    const endpoint = context.sessions.endpointOf(address.path, address.profile);
    const leave = enter(request.method);
    const principal = principalOf(address, context.principal);
    const share = address.guest?.share;
    const session = context.sessions.openModern({ endpoint, principal });
    const entry = open(request, response, share);
    running.add(entry);
    const call: ClientCall = {
      id: request.id,
      signal: entry.controller.signal,
      client: {
        notify: (method, content) => tell(entry.exchange, { jsonrpc: '2.0', method, params: content }),
      },
      paramHeaders: paramHeaders ?? {},
    };
    try {
      const result = await session.request(request.method, params, call);
      entry.exchange.answer({ jsonrpc: '2.0', id: request.id, result });
    } catch (thrown) {
      fail(entry, thrown);
    } finally {
      running.delete(entry);
      leave();
      session.close();
    }
  }

  /** A subscription is no call: a stop does not wait for its end, and it has a bound of its own. */
  function enter(method: string): () => void {
    if (method !== LISTEN) {
      context.calls.enter();
      return () => context.calls.leave();
    }
    if (listeners >= LISTENER_LIMIT)
      throw toFullError(`all ${LISTENER_LIMIT} subscriptions are in use; close a client`);
    listeners += 1;
    return () => {
      listeners -= 1;
    };
  }

  function open(request: RequestMessage, response: ServerResponse, share: string | undefined): Running {
    const controller = createCancel();
    const exchange = new Exchange({
      response,
      clock: context.clock,
      expected: 1,
      batch: false,
      openStream() {
        const sse = openSse(response, { clock: context.clock });
        return { send: (message) => sse.write(toFrame(message)), end: () => sse.end() };
      },
      // Closing the connection is how this revision cancels.
      onGone: () => controller.abort(new GatewayError('CALL_CANCELLED', 'the client closed the connection')),
    });
    if (request.method === LISTEN) exchange.stream();
    return { share, request, exchange, controller };
  }

  function end(entry: Running, reason: GatewayError, message: string): void {
    const { request, exchange, controller } = entry;
    if (request.method === LISTEN) exchange.answer(toListenEnd(request.id));
    else fail(entry, reason);
    controller.abort(new GatewayError('CALL_CANCELLED', message));
  }

  function fail({ request, exchange, controller }: Running, thrown: unknown): void {
    if (controller.signal.aborted) {
      exchange.fail(new GatewayError('CALL_CANCELLED', 'the request was cancelled'));
      return;
    }
    const error = toKnownError(thrown, request.method, context.feed);
    const answer = toWireError(error);
    exchange.answer({ jsonrpc: '2.0', id: request.id, error: answer }, WITH_STATUS.get(answer.code) ?? 200);
  }

  return {
    post(address, message, pair) {
      if (isResponse(message))
        throw new GatewayError(
          'INVALID_REQUEST',
          'a modern client sends requests, never answers; put them in inputResponses',
        );
      // This revision defines no notification a client could send over HTTP: accepted, and of no effect.
      if (!isRequest(message)) sendEmpty(pair.response, 202);
      else
        void serve(address, message, pair).catch((thrown) =>
          sendError(pair.response, toKnownError(thrown, message.method, context.feed), message.id),
        );
    },
    close() {
      for (const entry of running) end(entry, toCutError(), 'the gateway is closing');
    },
    endShares: (isOver) =>
      endShares(running, isOver, (entry) => end(entry, toShareEnd(), 'the share has ended')),
  };
}

/** News that cannot be written are left out: whoever brought them must not fall over it. */
function tell(exchange: Exchange, news: NotificationMessage): void {
  try {
    exchange.interim(news);
  } catch {}
}

function toShareEnd(): GatewayError {
  return new GatewayError(
    'TOKEN_REFUSED',
    'the share has ended; the call may have had its effect, ask whoever shared this',
  );
}

function checkEnvelope(request: RequestMessage, headers: IncomingHttpHeaders): void {
  if (request.method === 'initialize' && !hasModernClaim(request.params))
    throw new GatewayError(
      'HEADER_MISMATCH',
      'initialize opens a legacy session, but the MCP-Protocol-Version header names a modern revision; drop one of the two',
    );
  checkVersionHeader(headers, request.params);
  checkRequestHeaders(headers, request.method, request.params ?? {});
  checkModernMeta(request.params);
}

/** Streamable HTTP of revision 2026-07-28: one POST, one request, nothing kept. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { ErrorCode } from '../../errors/table.ts';
import { toHttpStatus, toWireError } from '../../errors/to-wire.ts';
import type { JsonObject } from '../../model/json.ts';
import { META } from '../../model/mcp.ts';
import type { ClientCall } from '../../session/session.ts';
import { isRequest, isResponse, type Message, type RequestMessage } from '../../wire/message.ts';
import { checkModernMeta, hasModernClaim, isModernRevision } from '../era.ts';
import { toKnownError } from '../fault.ts';
import type { Address } from './address.ts';
import { Exchange } from './exchange.ts';
import { checkRequestHeaders, checkVersionHeader, paramHeadersOf } from './headers.ts';
import type { HttpContext } from './http-context.ts';
import type { Pair } from './legacy.ts';
import { sendEmpty, sendError } from './reply.ts';
import { openSse, toFrame } from './sse.ts';

/** Serves modern clients at every MCP address. */
export interface ModernFace {
  post(address: Address, message: Message, exchange: Pair): void;
  /** Ends what still runs; listeners are told that their subscription is over. */
  close(): void;
}

interface Running {
  readonly request: RequestMessage;
  readonly exchange: Exchange;
  readonly controller: AbortController;
}

const LISTEN = 'subscriptions/listen';

/** Errors whose HTTP status the revision fixes, even when a session raises them; others travel inside a 200. */
const WITH_STATUS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'METHOD_NOT_FOUND',
  'MISSING_CAPABILITY',
  'UNSUPPORTED_VERSION',
  'HEADER_MISMATCH',
]);

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

  async function serve(address: Address, request: RequestMessage, { request: incoming, response }: Pair) {
    const params = request.params ?? {};
    checkEnvelope(request, incoming.headers);
    checkRequestHeaders(incoming.headers, request.method, params);
    const paramHeaders = paramHeadersOf(incoming.headers);
    const endpoint = context.sessions.endpointOf(address.path, address.profile);
    const session = context.sessions.openModern({ endpoint, principal: context.principal });
    const entry = open(request, response);
    running.add(entry);
    const call: ClientCall = {
      id: request.id,
      signal: entry.controller.signal,
      client: {
        notify: (method, content) => entry.exchange.interim({ jsonrpc: '2.0', method, params: content }),
      },
      ...(paramHeaders && { paramHeaders }),
    };
    try {
      const result = await session.request(request.method, params, call);
      entry.exchange.answer({ jsonrpc: '2.0', id: request.id, result });
    } catch (thrown) {
      fail(entry, thrown);
    } finally {
      running.delete(entry);
      session.close();
    }
  }

  function open(request: RequestMessage, response: ServerResponse): Running {
    const controller = new AbortController();
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
    return { request, exchange, controller };
  }

  function fail({ request, exchange, controller }: Running, thrown: unknown): void {
    if (controller.signal.aborted) {
      exchange.fail(new GatewayError('CALL_CANCELLED', 'the request was cancelled'));
      return;
    }
    const error = toKnownError(thrown, request.method, context.feed);
    const status = error instanceof GatewayError && WITH_STATUS.has(error.code) ? toHttpStatus(error) : 200;
    exchange.answer({ jsonrpc: '2.0', id: request.id, error: toWireError(error) }, status);
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
      for (const { request, exchange, controller } of running) {
        if (request.method === LISTEN) exchange.answer(toListenEnd(request));
        controller.abort(new GatewayError('CALL_CANCELLED', 'the gateway is closing'));
      }
    },
  };
}

function checkEnvelope(request: RequestMessage, headers: IncomingHttpHeaders): void {
  if (request.method === 'initialize' && !hasModernClaim(request.params))
    throw new GatewayError(
      'HEADER_MISMATCH',
      'initialize opens a legacy session, but the MCP-Protocol-Version header names a modern revision; drop one of the two',
    );
  checkVersionHeader(headers, request.params);
  checkModernMeta(request.params);
}

function toListenEnd({ id }: RequestMessage): { jsonrpc: '2.0'; id: string | number; result: JsonObject } {
  return { jsonrpc: '2.0', id, result: { resultType: 'complete', _meta: { [META.subscriptionId]: id } } };
}

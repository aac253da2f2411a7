/** Streamable HTTP of the revisions 2025-03-26 to 2025-11-25: sessions by id, opened by `initialize`. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../errors/gateway-error.ts';
import { LEGACY_REVISIONS } from '../../model/mcp.ts';
import { isRequest, type Message } from '../../wire/message.ts';
import { toFullError } from '../calls.ts';
import { toVersionError } from '../era.ts';
import type { Address } from './address.ts';
import { parseEventId } from './event-log.ts';
import type { HttpContext, HttpExchange } from './http-context.ts';
import { createLiveSessions, type LiveSession, type LiveSessions } from './live-sessions.ts';
import { sendEmpty } from './reply.ts';

/** Serves legacy clients at every MCP address. */
export interface LegacyFace {
  post(address: Address, messages: readonly Message[], batch: boolean, exchange: HttpExchange): void;
  get(address: Address, exchange: HttpExchange): void;
  delete(address: Address, exchange: HttpExchange): void;
  /** Ends the sessions of shares that are over; true when some of others are left. */
  endShares(isOver: (share: string) => boolean): boolean;
  close(): void;
}

/** Creates the legacy face, without sessions. */
export function createLegacyFace(context: HttpContext): LegacyFace {
  const live = createLiveSessions(context);

  return {
    post(address, messages, batch, { request, response }) {
      checkVersion(request);
      if (!opensSession(messages, batch, request)) {
        find(live, address, request).channel.post(messages, batch, response);
        return;
      }
      const session = live.open(address);
      if (session === undefined)
        throw toFullError(
          'every session the gateway can hold is at work; try again later, or close a client',
        );
      session.channel.post(messages, false, response);
      // An `initialize` that was refused leaves nothing worth keeping behind.
      response.on('close', () => session.channel.ready || live.end(session));
    },
    get(address, { request, response }) {
      checkVersion(request);
      const session = find(live, address, request);
      const last = request.headers['last-event-id'];
      const cursor = typeof last === 'string' ? parseEventId(last) : undefined;
      if (last !== undefined && cursor === undefined)
        throw new GatewayError('INVALID_REQUEST', 'the Last-Event-ID is none of this session; leave it out');
      session.channel.get(cursor, response);
    },
    delete(address, { request, response }) {
      checkVersion(request);
      live.end(find(live, address, request));
      sendEmpty(response, 204);
    },
    endShares: live.endShares,
    close: () => live.close(),
  };
}

function find(live: LiveSessions, address: Address, request: IncomingMessage): LiveSession {
  const id = request.headers['mcp-session-id'];
  if (typeof id !== 'string' || id === '')
    throw new GatewayError(
      'INVALID_REQUEST',
      'the Mcp-Session-Id header is missing; open a session with initialize and repeat the id it answers with',
    );
  const session = live.find(address, id);
  if (session) return session;
  throw new GatewayError(
    'SESSION_UNKNOWN',
    'no session has that id here, or it has expired; open a new one with initialize',
  );
}

function opensSession(messages: readonly Message[], batch: boolean, request: IncomingMessage): boolean {
  const [first] = messages;
  if (batch || first === undefined || request.headers['mcp-session-id'] !== undefined) return false;
  return isRequest(first) && first.method === 'initialize';
}

function checkVersion(request: IncomingMessage): void {
  const version = request.headers['mcp-protocol-version'];
  if (version !== undefined && !LEGACY_REVISIONS.includes(String(version)))
    throw toVersionError(String(version));
}

/** Joins a channel to a session: what stdio, legacy HTTP and the SSE pair have in common. */
import { GatewayError } from '../errors/gateway-error.ts';
import { toWireError } from '../errors/to-wire.ts';
import type { Feed } from '../events/feed.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../model/json.ts';
import { LISTEN } from '../model/mcp.ts';
import type { Principal } from '../model/principal.ts';
import type { ClientCall, Endpoint, Session, Sessions } from '../session/session.ts';
import type { Channel, CloseReason } from '../wire/channel.ts';
import type { RequestId, ResponseMessage } from '../wire/message.ts';
import { type InboundCall, openPeer } from '../wire/peer.ts';
import { CallCounter, toCutError } from './calls.ts';
import { checkModernMeta, hasModernClaim, toListenEnd } from './era.ts';
import { toKnownError } from './fault.ts';

/** Whose conversation it is and where it leads. */
export interface ConversationOptions {
  readonly sessions: Sessions;
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  /** True where one channel may carry both eras: stdio. */
  readonly bothEras?: boolean;
  readonly feed?: Feed | undefined;
  readonly clock?: Clock | undefined;
  /** Where its calls are counted. */
  readonly calls?: CallCounter | undefined;
  readonly onClosed?: (reason: CloseReason) => void;
}

/** A conversation that goes on. */
export interface Conversation {
  close(): Promise<void>;
  /** Answers what still runs with an error of the gateway's, then closes. */
  cut(): Promise<void>;
}

/** Opens a conversation over a channel; the first `initialize` opens the legacy session. */
export function openConversation(channel: Channel, options: ConversationOptions): Conversation {
  const { sessions, endpoint, principal, feed, calls = new CallCounter(options.clock) } = options;
  const running = new Map<RequestId, string>();
  let legacy: Session | undefined;
  let modern: Session | undefined;

  async function initialize(params: JsonObject, call: ClientCall): Promise<JsonObject> {
    if (legacy)
      throw new GatewayError(
        'INVALID_REQUEST',
        'this conversation is already initialized; open a new one instead of sending initialize again',
      );
    const opened = sessions.openLegacy({
      endpoint,
      principal,
      push: (method, content) => peer.notify(method, content),
    });
    // Set before the answer is there: a client may send `initialized` as soon as it has read it.
    legacy = opened;
    try {
      const result = await opened.request('initialize', params, call);
      const version = result['protocolVersion'];
      if (typeof version === 'string') channel.agreed?.(version);
      return result;
    } catch (error) {
      legacy = undefined;
      opened.close();
      throw error;
    }
  }

  function answer(method: string, params: JsonObject, call: InboundCall): Promise<JsonObject> {
    if (options.bothEras && hasModernClaim(params)) {
      checkModernMeta(params);
      modern ??= sessions.openModern({ endpoint, principal, lasts: true });
      return modern.request(method, params, toClientCall(call, false));
    }
    if (method === 'initialize') return initialize(params, toClientCall(call, true));
    if (legacy) return legacy.request(method, params, toClientCall(call, true));
    if (method === 'ping') return Promise.resolve({});
    throw new GatewayError(
      'INVALID_REQUEST',
      `${method} came before initialize; send initialize first, or name a protocol revision in params._meta`,
    );
  }

  async function answerKnown(method: string, params: JsonObject, call: InboundCall): Promise<JsonObject> {
    // A subscription is no call: a stop does not wait for its end.
    const counted = method !== LISTEN;
    let entered = false;
    try {
      if (counted) calls.enter();
      entered = counted;
      running.set(call.id, method);
      return await answer(method, params, call);
    } catch (error) {
      // What a cancelled request throws is of no interest: nobody reads the answer.
      if (call.signal.aborted) throw error;
      throw toKnownError(error, method, feed);
    } finally {
      running.delete(call.id);
      if (entered) calls.leave();
    }
  }

  const peer = openPeer(
    channel,
    {
      onRequest: answerKnown,
      onNotification: (method, params) => legacy?.notification(method, params),
      onClosed(reason) {
        legacy?.close();
        modern?.close();
        options.onClosed?.(reason);
      },
    },
    options.clock,
  );
  return {
    close: () => peer.close(),
    cut() {
      for (const [id, method] of running) {
        const cut = (): ResponseMessage => ({
          jsonrpc: '2.0',
          id,
          error: toWireError(toKnownError(toCutError(), method, feed)),
        });
        channel.send(method === LISTEN ? toListenEnd(id) : cut(), { relatedTo: id });
      }
      return peer.close();
    },
  };
}

function toClientCall(call: InboundCall, mayAsk: boolean): ClientCall {
  const { id, signal, notify } = call;
  if (!mayAsk) return { id, signal, client: { notify } };
  return {
    id,
    signal,
    client: { notify, ask: (method, params, by = signal) => call.request(method, params, { signal: by }) },
  };
}

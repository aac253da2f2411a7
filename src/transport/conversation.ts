/** Joins a channel to a session: what stdio, legacy HTTP and the SSE pair have in common. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { Feed } from '../events/feed.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../model/json.ts';
import type { Principal } from '../model/principal.ts';
import type { ClientCall, Endpoint, Session, Sessions } from '../session/session.ts';
import type { Channel, CloseReason } from '../wire/channel.ts';
import { type InboundCall, openPeer, type Peer } from '../wire/peer.ts';
import { checkModernMeta, hasModernClaim } from './era.ts';
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
  readonly onClosed?: (reason: CloseReason) => void;
}

/** Opens a conversation over a channel; the first `initialize` opens the legacy session. */
export function openConversation(channel: Channel, options: ConversationOptions): Peer {
  const { sessions, endpoint, principal, feed } = options;
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
      modern ??= sessions.openModern({ endpoint, principal });
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

  const peer = openPeer(
    channel,
    {
      async onRequest(method, params, call) {
        try {
          return await answer(method, params, call);
        } catch (error) {
          // What a cancelled request throws is of no interest: nobody reads the answer.
          if (call.signal.aborted) throw error;
          throw toKnownError(error, method, feed);
        }
      },
      onNotification: (method, params) => legacy?.notification(method, params),
      onClosed(reason) {
        legacy?.close();
        modern?.close();
        options.onClosed?.(reason);
      },
    },
    options.clock,
  );
  return peer;
}

function toClientCall(call: InboundCall, mayAsk: boolean): ClientCall {
  const { id, signal, notify } = call;
  if (!mayAsk) return { id, signal, client: { notify } };
  return {
    id,
    signal,
    client: { notify, ask: (method, params) => call.request(method, params, { signal }) },
  };
}

/** A peer over a fresh link, before and after the greeting: what it hears goes to the call it belongs to. */

import { GatewayError } from '../errors/gateway-error.ts';
import type { Unsubscribe } from '../events/feed.ts';
import type { Clock } from '../lib/clock.ts';
import type { CallContext } from '../model/call.ts';
import type { JsonObject } from '../model/json.ts';
import { META, metaOf } from '../model/mcp.ts';
import type { CloseReason } from '../wire/channel.ts';
import type { RequestId } from '../wire/message.ts';
import { openPeer, type Peer } from '../wire/peer.ts';
import { createDeferred } from './deferred.ts';
import type { Link, LinkNotes } from './upstream.ts';

/** Hears notifications that belong to no running call. */
type NewsListener = (method: string, params: JsonObject) => void;

/** One link with a peer on it. */
export interface Conversation {
  readonly peer: Peer;
  readonly link: Link;
  readonly closed: Promise<CloseReason>;
  readonly ended: boolean;
  /** The calls whose requests are out, by the ids these went out with. */
  readonly calls: Map<RequestId, CallContext>;
  /** What the link saw, with the answers nobody waited for. */
  notes(): LinkNotes;
  onNews(listener: NewsListener): Unsubscribe;
  /** Tells the listeners something the server has not said itself. */
  tell(method: string, params: JsonObject): void;
}

/** Starts to speak over a link. */
export function openConversation(link: Link, clock: Clock): Conversation {
  const calls = new Map<RequestId, CallContext>();
  const listeners = new Set<NewsListener>();
  const closed = createDeferred<CloseReason>();
  let ended = false;
  let strays = 0;

  function tell(method: string, params: JsonObject): void {
    for (const listener of [...listeners]) listener(method, params);
  }

  const peer = openPeer(
    link.channel,
    {
      onRequest: async (method) => answer(method),
      onNotification(method, params, origin) {
        const call = origin === undefined ? undefined : calls.get(origin);
        if (call) call.client.notify(method, params);
        else tell(method, withoutSubscription(params));
      },
      onStray() {
        strays += 1;
      },
      onClosed(reason) {
        ended = true;
        closed.resolve(reason);
      },
    },
    clock,
  );
  return {
    peer,
    link,
    closed: closed.promise,
    get ended() {
      return ended;
    },
    calls,
    tell,
    notes() {
      const notes = link.notes();
      return { ...notes, badLines: notes.badLines + strays };
    },
    onNews(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function answer(method: string): JsonObject {
  if (method === 'ping') return {};
  throw new GatewayError('METHOD_NOT_FOUND', `this client does not answer ${method}`);
}

/** Ids of our own subscriptions mean nothing to anybody else. */
function withoutSubscription(params: JsonObject): JsonObject {
  const { [META.subscriptionId]: subscription, ...meta } = metaOf(params);
  if (subscription === undefined) return params;
  const { _meta, ...rest } = params;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

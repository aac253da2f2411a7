/** A peer over a fresh link, before and after the greeting: what it hears goes to the call it belongs to. */

import type { Unsubscribe } from '../events/feed.ts';
import type { Clock } from '../lib/clock.ts';
import type { CallContext } from '../model/call.ts';
import type { JsonObject } from '../model/json.ts';
import { META, metaOf } from '../model/mcp.ts';
import type { CloseReason } from '../wire/channel.ts';
import type { RequestId } from '../wire/message.ts';
import { type InboundCall, openPeer, type Peer } from '../wire/peer.ts';
import { createDeferred } from './deferred.ts';
import { askClient, findCall, OWN_CONVERSATION, withdraw } from './questions.ts';
import type { Turns } from './turns.ts';
import type { Link, LinkNotes } from './upstream.ts';

/** Hears notifications that belong to no running call. */
type NewsListener = (method: string, params: JsonObject) => void;

/** One link with a peer on it. */
export interface Talk {
  readonly peer: Peer;
  readonly link: Link;
  readonly closed: Promise<CloseReason>;
  readonly ended: boolean;
  /** The calls whose requests are out, by the ids these went out with. */
  readonly calls: Map<RequestId, CallContext>;
  /** Told that a stream of changes is open and what the server agreed to, by the id of the request that asked for it. */
  readonly streams: Map<RequestId, (said: JsonObject) => void>;
  /** What the link saw, with the answers nobody waited for. */
  notes(): LinkNotes;
  onNews(listener: NewsListener): Unsubscribe;
  /** Tells the listeners something the server has not said itself. */
  tell(method: string, params: JsonObject): void;
}

/** What the owner of a conversation wants to hear of. */
export interface TalkOptions {
  readonly clock: Clock;
  /** A question came; `attributed` when the link itself said to which call it belongs. */
  readonly onQuestion?: (method: string, attributed: boolean) => void;
  /** Answers a question of no particular call. */
  readonly fallback?: () => CallContext | undefined;
  /** Where others may have to wait until a question is answered. */
  readonly turns?: Pick<Turns, 'ask'> | undefined;
}

/** Starts to speak over a link. */
export function openTalk(link: Link, options: TalkOptions): Talk {
  const calls = new Map<RequestId, CallContext>();
  const streams = new Map<RequestId, (said: JsonObject) => void>();
  const listeners = new Set<NewsListener>();
  const closed = createDeferred<CloseReason>();
  let ended = false;
  let strays = 0;

  function tell(method: string, params: JsonObject): void {
    for (const listener of [...listeners]) listener(method, params);
  }

  /** One that does not say which stream it is about can only mean all of them. */
  function acknowledge(params: JsonObject, origin: RequestId | undefined): void {
    const id = origin ?? metaOf(params)[META.subscriptionId];
    for (const [key, onOpen] of [...streams])
      if (id === undefined || String(id) === String(key)) onOpen(params);
  }

  async function ask(method: string, params: JsonObject, inbound: InboundCall): Promise<JsonObject> {
    options.onQuestion?.(method, inbound.origin !== undefined);
    const open = findCall(inbound.origin, calls);
    const resume = open && peer.hold(open.id);
    const question = options.turns?.ask(inbound.signal);
    const { signal } = question ?? inbound;
    try {
      return await askClient(open?.call ?? owner(), method, withoutToken(params), signal);
    } catch (error) {
      if (question?.isTakenBack) return withdraw(method);
      throw error;
    } finally {
      question?.close();
      resume?.();
    }
  }

  /** The one client of an instance of its own may be asked outside a call; with calls running it must be one of them. */
  function owner(): CallContext | undefined {
    return calls.size === 0 ? options.fallback?.() : undefined;
  }

  const peer = openPeer(
    link.channel,
    {
      onRequest: async (method, params, inbound) => (method === 'ping' ? {} : ask(method, params, inbound)),
      onNotification(method, params, origin) {
        if (method === ACKNOWLEDGED) {
          acknowledge(params, origin);
          return;
        }
        const call =
          method === LOG_MESSAGE || origin !== undefined ? findCall(origin, calls)?.call : undefined;
        if (call && call.conversation !== OWN_CONVERSATION) call.client.notify(method, params);
        // A log message that cannot be told whose it is reaches nobody: it may hold what another client sent.
        else if (method !== LOG_MESSAGE || calls.size === 0) tell(method, withoutSubscription(params));
      },
      onStray() {
        strays += 1;
      },
      onClosed(reason) {
        ended = true;
        closed.resolve(reason);
      },
    },
    options.clock,
  );
  return {
    peer,
    link,
    closed: closed.promise,
    get ended() {
      return ended;
    },
    calls,
    streams,
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

const LOG_MESSAGE = 'notifications/message';
/** The first message on every stream of changes. */
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/** The server's progress token is between it and us: a client has its own. */
function withoutToken(params: JsonObject): JsonObject {
  const { progressToken, ...meta } = metaOf(params);
  return progressToken === undefined ? params : withMeta(params, meta);
}

/** Ids of our own subscriptions mean nothing to anybody else. */
function withoutSubscription(params: JsonObject): JsonObject {
  const { [META.subscriptionId]: subscription, ...meta } = metaOf(params);
  if (subscription === undefined) return params;
  return withMeta(params, meta);
}

function withMeta(params: JsonObject, meta: JsonObject): JsonObject {
  const { _meta, ...rest } = params;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

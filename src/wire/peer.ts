/** One end of a JSON-RPC conversation: matches answers to requests, cancels, times out, reports progress. */

import { GatewayError, RpcError } from '../errors/gateway-error.ts';
import { toWireError } from '../errors/to-wire.ts';
import { type CancelSignal, createCancel } from '../lib/cancel.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { JsonObject } from '../model/json.ts';
import type { Channel, CloseReason, Route } from './channel.ts';
import { toUnwritableError } from './line-text.ts';
import {
  isRequest,
  isResponse,
  type Message,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from './message.ts';
import { PendingRequest, type PendingRequests } from './pending-requests.ts';
import { toUnsentError } from './unsent.ts';

/** A request of the other side while it runs. */
export interface InboundCall {
  readonly id: RequestId;
  /** The request of ours on whose stream it came, where the channel knows. */
  readonly origin: RequestId | undefined;
  /** Aborts when the other side cancels or goes away. */
  readonly signal: CancelSignal;
  notify(method: string, params: JsonObject): void;
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
}

/** What the owner of a peer does with what comes in. */
export interface PeerOwner {
  onRequest(method: string, params: JsonObject, call: InboundCall): Promise<JsonObject>;
  onNotification(method: string, params: JsonObject, origin: RequestId | undefined): void;
  onClosed?(reason: CloseReason): void;
  /** An answer nobody waits for: late, doubled or made up. */
  onStray?(message: Message): void;
}

/** How one request of ours is sent and waited for. */
export interface RequestOptions extends Route {
  readonly signal?: CancelSignal | undefined;
  /** Without an answer or progress for this long, the request fails. */
  readonly timeoutMs?: number | undefined;
  /** Hears of progress, which starts the waiting time anew; without it none is asked for. */
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** Told the id under which the request goes out, before it does. */
  readonly onSent?: (id: RequestId) => void;
}

/** A live end of a conversation. */
export interface Peer {
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  notify(method: string, params: JsonObject, route?: Route): void;
  /** Stops the waiting time of a request of ours; the returned function starts it anew. */
  hold(id: RequestId): () => void;
  readonly pending: number;
  close(): Promise<void>;
}

const NO_PARAMS: JsonObject = {};

/** Opens a channel and speaks JSON-RPC over it. */
export function openPeer(channel: Channel, owner: PeerOwner, clock: Clock = systemClock): Peer {
  return new ChannelPeer(channel, owner, clock);
}

class ChannelPeer implements Peer {
  readonly #channel: Channel;
  readonly #owner: PeerOwner;
  readonly #clock: Clock;
  readonly #pending: PendingRequests = new Map();
  readonly #running = new Map<RequestId, ReturnType<typeof createCancel>>();
  #lastId = 0;
  #ended: CloseReason | undefined;

  constructor(channel: Channel, owner: PeerOwner, clock: Clock) {
    this.#channel = channel;
    this.#owner = owner;
    this.#clock = clock;
    channel.open({
      message: (message, origin) => this.#onMessage(message, origin),
      failed: (id, error) => this.#onFailed(id, error),
      closed: (reason) => this.#onClosed(reason),
    });
  }

  get pending(): number {
    return this.#pending.size;
  }

  request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    if (this.#ended) return Promise.reject(toUnsentError(toCloseError(this.#ended)));
    const { signal, onProgress } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.#lastId += 1;
    const id = this.#lastId;
    const pending = new PendingRequest(id, method, options, this.#clock, this.#onGivenUp);
    this.#pending.set(id, pending);
    options.onSent?.(id);
    const sent = onProgress ? withProgressToken(params, id) : params;
    this.#send({ jsonrpc: '2.0', id, method, params: sent }, options);
    return pending.answer;
  }

  notify(method: string, params: JsonObject, route?: Route): void {
    if (!this.#ended) this.#send({ jsonrpc: '2.0', method, params }, route);
  }

  hold(id: RequestId): () => void {
    return this.#pending.get(id)?.hold() ?? (() => {});
  }

  async close(): Promise<void> {
    this.#onClosed({ kind: 'closed', message: 'the link was closed' });
    await this.#channel.close();
  }

  #onMessage(message: Message, origin: RequestId | undefined): void {
    if (this.#ended) return;
    if (isResponse(message)) this.#onResponse(message);
    else if (isRequest(message)) void this.#onRequest(message, origin);
    else this.#onNotification(message, origin);
  }

  #onResponse(message: ResponseMessage): void {
    const pending = message.id === null || message.id === undefined ? undefined : this.#settle(message.id);
    const { error } = message;
    if (pending === undefined) this.#owner.onStray?.(message);
    else if (error) pending.reject(new RpcError(error.code, error.message, error.data));
    else pending.resolve(message.result ?? NO_PARAMS);
  }

  async #onRequest(message: RequestMessage, origin: RequestId | undefined): Promise<void> {
    const { id } = message;
    const controller = createCancel();
    this.#running.set(id, controller);
    const call: InboundCall = {
      id,
      origin,
      signal: controller.signal,
      notify: (method, params) => this.notify(method, params, { relatedTo: id }),
      request: (method, params, options) => this.request(method, params, { ...options, relatedTo: id }),
    };
    let answer: ResponseMessage;
    try {
      const result = await this.#owner.onRequest(message.method, message.params ?? NO_PARAMS, call);
      answer = { jsonrpc: '2.0', id, result };
    } catch (error) {
      answer = { jsonrpc: '2.0', id, error: toWireError(error) };
    }
    if (this.#running.get(id) === controller) this.#running.delete(id);
    // A cancelled request is not answered: the other side has already forgotten its id.
    if (!this.#ended && !controller.signal.aborted) this.#send(answer, { relatedTo: id });
  }

  #onNotification({ method, params = NO_PARAMS }: NotificationMessage, origin: RequestId | undefined): void {
    if (method === 'notifications/cancelled') {
      const running = this.#running.get(params['requestId'] as RequestId);
      running?.abort(new GatewayError('CALL_CANCELLED', 'the client cancelled the request'));
      return;
    }
    if (method === 'notifications/progress') {
      const pending = this.#pending.get(params['progressToken'] as RequestId);
      if (pending?.progress(params)) return;
    }
    this.#owner.onNotification(method, params, origin);
  }

  #onClosed(reason: CloseReason): void {
    if (this.#ended) return;
    this.#ended = reason;
    this.#onFailed(undefined, toCloseError(reason));
    const cancelled = new GatewayError('CALL_CANCELLED', reason.message);
    for (const controller of this.#running.values()) controller.abort(cancelled);
    this.#running.clear();
    this.#owner.onClosed?.(reason);
  }

  #onFailed(id: RequestId | undefined, error: Error): void {
    for (const lost of id === undefined ? [...this.#pending.keys()] : [id]) this.#settle(lost)?.reject(error);
  }

  readonly #onGivenUp = (id: RequestId, error: unknown, reason: string): void => {
    const pending = this.#settle(id);
    if (pending === undefined) return;
    pending.reject(error);
    if (this.#ended || this.#channel.abandon?.(id) || pending.method === 'initialize') return;
    this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } });
  };

  /** What cannot be written costs nobody more than itself: a request fails, an answer becomes an error, news are left out. */
  #send(message: Message, route?: Route): void {
    try {
      this.#channel.send(message, route);
    } catch (cause) {
      const error = toUnwritableError(cause);
      if (isRequest(message)) this.#onFailed(message.id, error);
      else if (isResponse(message))
        this.#channel.send({ jsonrpc: '2.0', id: message.id, error: toWireError(error) }, route);
    }
  }

  #settle(id: RequestId): PendingRequest | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    pending.release();
    return pending;
  }
}

function withProgressToken(params: JsonObject, progressToken: RequestId): JsonObject {
  const meta = params['_meta'] as JsonObject | undefined;
  // Spreading nothing is not free: it took longer than all the rest of sending a request.
  return { ...params, _meta: meta === undefined ? { progressToken } : { ...meta, progressToken } };
}

/** The error of a request whose channel ended before the answer. */
export function toCloseError(reason: CloseReason): GatewayError {
  const code = reason.kind === 'exited' ? 'UPSTREAM_EXITED' : 'UPSTREAM_UNAVAILABLE';
  return new GatewayError(code, reason.message);
}

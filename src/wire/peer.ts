/** One end of a JSON-RPC conversation: matches answers to requests, cancels, times out, reports progress. */
import { GatewayError, RpcError } from '../errors/gateway-error.ts';
import { toWireError } from '../errors/to-wire.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { JsonObject } from '../model/json.ts';
import type { Channel, CloseReason, Route } from './channel.ts';
import {
  isRequest,
  isResponse,
  type Message,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from './message.ts';
import { toUnsentError } from './unsent.ts';

/** A request of the other side while it runs. */
export interface InboundCall {
  readonly id: RequestId;
  /** The request of ours on whose stream it came, where the channel knows. */
  readonly origin: RequestId | undefined;
  /** Aborts when the other side cancels or goes away. */
  readonly signal: AbortSignal;
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
  readonly signal?: AbortSignal;
  /** Without an answer or progress for this long, the request fails. */
  readonly timeoutMs?: number;
  readonly onProgress?: (params: JsonObject) => void;
  /** Told the id under which the request goes out, before it does. */
  readonly onSent?: (id: RequestId) => void;
}

/** A live end of a conversation. */
export interface Peer {
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  notify(method: string, params: JsonObject, route?: Route): void;
  readonly pending: number;
  close(): Promise<void>;
}

interface Pending {
  readonly method: string;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: ((params: JsonObject) => void) | undefined;
  readonly touch: () => void;
  readonly release: () => void;
}

const NO_PARAMS: JsonObject = {};

/** Opens a channel and speaks JSON-RPC over it. */
export function openPeer(channel: Channel, owner: PeerOwner, clock: Clock = systemClock): Peer {
  const pending = new Map<RequestId, Pending>();
  const running = new Map<RequestId, AbortController>();
  let lastId = 0;
  let ended: CloseReason | undefined;

  function settle(id: RequestId): Pending | undefined {
    const entry = pending.get(id);
    if (entry === undefined) return undefined;
    pending.delete(id);
    entry.release();
    return entry;
  }

  function onResponse(message: ResponseMessage): void {
    const entry = message.id === null || message.id === undefined ? undefined : settle(message.id);
    if (entry === undefined) owner.onStray?.(message);
    else if (message.error)
      entry.reject(new RpcError(message.error.code, message.error.message, message.error.data));
    else entry.resolve(message.result ?? NO_PARAMS);
  }

  async function onRequest(message: RequestMessage, origin: RequestId | undefined): Promise<void> {
    const { id } = message;
    const controller = new AbortController();
    running.set(id, controller);
    const call: InboundCall = {
      id,
      origin,
      signal: controller.signal,
      notify: (method, params) => notify(method, params, { relatedTo: id }),
      request: (method, params, options) => request(method, params, { ...options, relatedTo: id }),
    };
    let answer: ResponseMessage;
    try {
      const result = await owner.onRequest(message.method, message.params ?? NO_PARAMS, call);
      answer = { jsonrpc: '2.0', id, result };
    } catch (error) {
      answer = { jsonrpc: '2.0', id, error: toWireError(error) };
    }
    if (running.get(id) === controller) running.delete(id);
    // A cancelled request is not answered: the other side has already forgotten its id.
    if (!ended && !controller.signal.aborted) channel.send(answer, { relatedTo: id });
  }

  function onNotification(message: NotificationMessage, origin: RequestId | undefined): void {
    const params = message.params ?? NO_PARAMS;
    if (message.method === 'notifications/cancelled') {
      running
        .get(params['requestId'] as RequestId)
        ?.abort(new GatewayError('CALL_CANCELLED', 'the client cancelled the request'));
      return;
    }
    if (message.method === 'notifications/progress') {
      const entry = pending.get(params['progressToken'] as RequestId);
      if (entry?.onProgress) {
        entry.touch();
        entry.onProgress(params);
        return;
      }
    }
    owner.onNotification(message.method, params, origin);
  }

  function onClosed(reason: CloseReason): void {
    if (ended) return;
    ended = reason;
    for (const id of [...pending.keys()]) settle(id)?.reject(toCloseError(reason));
    for (const controller of running.values())
      controller.abort(new GatewayError('CALL_CANCELLED', reason.message));
    running.clear();
    owner.onClosed?.(reason);
  }

  function onFailed(id: RequestId | undefined, error: Error): void {
    for (const lost of id === undefined ? [...pending.keys()] : [id]) settle(lost)?.reject(error);
  }

  function giveUp(id: RequestId, error: unknown, reason: string): void {
    const entry = settle(id);
    if (entry === undefined) return;
    entry.reject(error);
    if (ended || channel.abandon?.(id) || entry.method === 'initialize') return;
    channel.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } });
  }

  function request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    if (ended) return Promise.reject(toUnsentError(toCloseError(ended)));
    const { signal, timeoutMs, onProgress } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      const onAbort = () => giveUp(id, signal?.reason, 'cancelled');
      const onTimeout = () => giveUp(id, toTimeoutError(method, timeoutMs ?? 0), 'timed out');
      signal?.addEventListener('abort', onAbort, { once: true });
      let cancelTimer = timeoutMs === undefined ? undefined : clock.after(timeoutMs, onTimeout);
      pending.set(id, {
        method,
        resolve,
        reject,
        onProgress,
        touch() {
          cancelTimer?.();
          if (timeoutMs !== undefined) cancelTimer = clock.after(timeoutMs, onTimeout);
        },
        release() {
          cancelTimer?.();
          signal?.removeEventListener('abort', onAbort);
        },
      });
      options.onSent?.(id);
      channel.send(
        { jsonrpc: '2.0', id, method, params: onProgress ? withProgressToken(params, id) : params },
        options,
      );
    });
  }

  function notify(method: string, params: JsonObject, route?: Route): void {
    if (!ended) channel.send({ jsonrpc: '2.0', method, params }, route);
  }

  channel.open({
    message(message, origin) {
      if (ended) return;
      if (isResponse(message)) onResponse(message);
      else if (isRequest(message)) void onRequest(message, origin);
      else onNotification(message, origin);
    },
    failed: onFailed,
    closed: onClosed,
  });

  return {
    request,
    notify,
    get pending() {
      return pending.size;
    },
    async close() {
      onClosed({ kind: 'closed', message: 'the link was closed' });
      await channel.close();
    },
  };
}

function withProgressToken(params: JsonObject, token: RequestId): JsonObject {
  return { ...params, _meta: { ...(params['_meta'] as JsonObject | undefined), progressToken: token } };
}

/** The error of a request whose channel ended before the answer. */
export function toCloseError(reason: CloseReason): GatewayError {
  const code = reason.kind === 'exited' ? 'UPSTREAM_EXITED' : 'UPSTREAM_UNAVAILABLE';
  return new GatewayError(code, reason.message);
}

function toTimeoutError(method: string, timeoutMs: number): GatewayError {
  return new GatewayError('UPSTREAM_TIMEOUT', `no answer to ${method} within ${timeoutMs} ms`, {
    data: { timeoutMs },
  });
}

/** Keeps a `subscriptions/listen` stream open to a modern server, so that changes of lists and resources are heard of. */
import { GatewayError, RpcError } from '../errors/gateway-error.ts';
import type { CancelSignal } from '../lib/cancel.ts';
import type { Clock } from '../lib/clock.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { ALL_KINDS, KINDS } from '../model/kinds.ts';
import type { RequestId } from '../wire/message.ts';
import { toBackoffMs } from './backoff.ts';
import { createDeferred } from './deferred.ts';
import type { Envelope } from './envelope.ts';
import type { Talk } from './talk.ts';
import { pause } from './within.ts';

/** What to listen for, and for how long. */
export interface Subscription {
  /** The filter: which changes are asked for. */
  readonly notifications: JsonObject;
  readonly envelope: Envelope;
  readonly clock: Clock;
  /** Ends it. */
  readonly signal: CancelSignal;
  /** The stream is open again after it was not: whatever changed in between was said to nobody. */
  readonly onAgain?: () => void;
}

const LISTEN = 'subscriptions/listen';
const LIMITS = { baseMs: 1_000, capMs: 60_000 };
const MIN_WAIT_MS = 100;
/** A server that neither acknowledges nor refuses for this long is taken to listen. */
const SILENT_MS = 2_000;
const METHOD_NOT_FOUND = -32601;

/** The filter for every list the server says may change; undefined when none may. */
export function toListenFilter(capabilities: JsonObject): JsonObject | undefined {
  const filter: Record<string, boolean> = {};
  for (const capability of ['tools', 'prompts', 'resources']) {
    const declared = capabilities[capability];
    if (isJsonObject(declared) && declared['listChanged'] === true) filter[`${capability}ListChanged`] = true;
  }
  return Object.keys(filter).length === 0 ? undefined : filter;
}

/** Listens for changes of lists for as long as the link is open. */
export function listenToLists(talk: Talk, subscription: Omit<Subscription, 'onAgain'>): void {
  const onAgain = () => {
    for (const changed of changedMethods()) talk.tell(changed, {});
  };
  // A server that does not tell of changes is one whose lists do not change.
  keepListening(talk, { ...subscription, onAgain }).catch(() => {});
}

/**
 * Listens until the signal aborts or the link ends, opening the stream anew whenever it does not last. Resolves with the
 * filter the server agreed to; rejects when the first stream fails, though it is tried again unless the method is unknown.
 */
export function keepListening(talk: Talk, subscription: Subscription): Promise<JsonObject> {
  const { notifications, clock, signal, onAgain } = subscription;
  const agreed = createDeferred<JsonObject>();
  let failures = 0;
  let isKnown = false;

  function onOpen({ notifications: said }: JsonObject): void {
    failures = 0;
    if (isKnown) onAgain?.();
    isKnown = true;
    agreed.resolve(isJsonObject(said) ? said : notifications);
  }

  async function listen(): Promise<void> {
    while (!signal.aborted && !talk.ended) {
      const failure = await listenOnce(talk, subscription, onOpen);
      if (signal.aborted) break;
      agreed.reject(failure);
      if (failure instanceof RpcError && failure.code === METHOD_NOT_FOUND) return;
      failures += 1;
      if (talk.ended) return;
      const waitMs = toBackoffMs(failures, LIMITS, Math.random());
      await pause(Math.max(MIN_WAIT_MS, waitMs), clock, signal);
    }
    // Whoever ended it does not wait for an answer.
    agreed.resolve(notifications);
  }

  const cancelTimer = clock.after(SILENT_MS, () => agreed.resolve(notifications));
  void listen();
  return agreed.promise.finally(cancelTimer);
}

/** One stream, to its end. */
async function listenOnce(
  { peer, streams }: Talk,
  { notifications, envelope, signal }: Subscription,
  onOpen: (said: JsonObject) => void,
): Promise<unknown> {
  let sentAs: RequestId | undefined;
  const onSent = (id: RequestId) => {
    sentAs = id;
    streams.set(id, onOpen);
  };
  try {
    await peer.request(LISTEN, { _meta: envelope, notifications }, { signal, onSent });
    return new GatewayError('UPSTREAM_UNAVAILABLE', 'ended the stream of changes; try again in a moment');
  } catch (error) {
    return error;
  } finally {
    if (sentAs !== undefined) streams.delete(sentAs);
  }
}

function changedMethods(): ReadonlySet<string> {
  return new Set(ALL_KINDS.map((kind) => KINDS[kind].changed));
}

/** Keeps a `subscriptions/listen` stream open to a modern server, so that changed lists are heard of. */
import { RpcError } from '../errors/gateway-error.ts';
import type { CancelTimer, Clock } from '../lib/clock.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { ALL_KINDS, KINDS } from '../model/kinds.ts';
import { toBackoffMs } from './backoff.ts';
import type { Envelope } from './envelope.ts';
import type { Talk } from './talk.ts';

/** The request whose answer is a stream of changes. */
export const LISTEN = 'subscriptions/listen';

/** The first message on every subscription. */
export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

const LIMITS = { baseMs: 1_000, capMs: 60_000 };
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

/** Listens until the conversation ends, opening the stream anew whenever it does not last. */
export function keepListening(talk: Talk, envelope: Envelope, notifications: JsonObject, clock: Clock): void {
  let failures = 0;
  let opened = 0;
  let cancelTimer: CancelTimer | undefined;

  async function listen(): Promise<void> {
    try {
      await talk.peer.request(LISTEN, { _meta: envelope, notifications });
    } catch (error) {
      if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) return;
    }
    failures += 1;
    cancelTimer = clock.after(
      Math.max(100, toBackoffMs(failures, LIMITS, Math.random())),
      () => void listen(),
    );
  }

  talk.onNews((method) => {
    if (method !== ACKNOWLEDGED) return;
    failures = 0;
    opened += 1;
    // Whatever changed while no stream was open was said to nobody.
    if (opened > 1) for (const changed of changedMethods()) talk.tell(changed, {});
  });
  void talk.closed.then(() => cancelTimer?.());
  void listen();
}

function changedMethods(): ReadonlySet<string> {
  return new Set(ALL_KINDS.map((kind) => KINDS[kind].changed));
}

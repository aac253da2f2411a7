/** Keeps one server from taking the gateway with it: so many requests at once, so many waiting, the rest refused. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { CancelSignal } from '../lib/cancel.ts';
import type { Clock } from '../lib/clock.ts';
import { createWaitingLine } from '../lib/waiting-line.ts';

/** Gives a place back; safe to call twice. */
export type Leave = () => void;

/** The places at one server. */
export interface Bulkhead {
  readonly running: number;
  readonly queued: number;
  /** Takes a place at once, or undefined when there is none. */
  tryEnter(): Leave | undefined;
  /** Resolves with a place; rejects with TOO_BUSY when too many wait already or it took too long. */
  enter(signal: CancelSignal): Promise<Leave>;
}

/** What a bulkhead is made of. */
export interface BulkheadOptions {
  /** How errors name the upstream. */
  readonly name: string;
  readonly maxInFlight: number;
  readonly maxQueue: number;
  /** Nobody waits longer than this. */
  readonly maxWaitMs: number;
  readonly clock: Clock;
}

/** How much the latest request counts in the mean of how long they take. */
const WEIGHT = 0.2;
const RETRY_MS = { min: 1_000, max: 60_000 };

/** Creates the places of one server, all free. */
export function createBulkhead(options: BulkheadOptions): Bulkhead {
  const { name, maxInFlight, maxQueue, maxWaitMs, clock } = options;
  const line = createWaitingLine<Leave>(clock);
  let running = 0;
  let meanMs = 0;

  function take(): Leave {
    running += 1;
    const since = clock.now();
    let left = false;
    return () => {
      if (left) return;
      left = true;
      running -= 1;
      meanMs += (clock.now() - since - meanMs) * WEIGHT;
      line.admitFirst();
    };
  }

  function toBusyError(): GatewayError {
    const expected = (meanMs * (running + line.size)) / maxInFlight;
    const retryInMs = Math.ceil(Math.min(RETRY_MS.max, Math.max(RETRY_MS.min, expected)));
    const text = `${name}: is busy with ${running} calls, and ${line.size} wait`;
    return new GatewayError('TOO_BUSY', `${text}; try again in ${Math.ceil(retryInMs / 1000)} s`, {
      data: { upstream: name, running, queued: line.size, retryInMs },
    });
  }

  const tryEnter = () => (running < maxInFlight ? take() : undefined);
  return {
    get running() {
      return running;
    },
    get queued() {
      return line.size;
    },
    tryEnter,
    async enter(signal) {
      const leave = tryEnter();
      if (leave) return leave;
      signal.throwIfAborted();
      if (line.size >= maxQueue) throw toBusyError();
      return line.wait({ signal, limitMs: maxWaitMs, take, toLateError: toBusyError });
    },
  };
}

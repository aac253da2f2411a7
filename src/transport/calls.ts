/** The calls in flight at a face of the gateway: bounded, counted, and let finish when the gateway stops. */
import { GatewayError } from '../errors/gateway-error.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { CALL_LIMIT } from './limits.ts';

/** How many seconds a client should wait before it tries again. */
export const RETRY_AFTER_SECONDS = 5;

/** Counts calls from their arrival to their answer. */
export class CallCounter {
  readonly #clock: Clock;
  readonly #limit: number;
  #running = 0;
  #stopping = false;
  #onIdle: (() => void) | undefined;

  constructor(clock: Clock = systemClock, limit = CALL_LIMIT) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** True once nothing new is taken. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /** Takes a call, or throws TOO_BUSY. */
  enter(): void {
    if (this.#stopping) throw toStoppingError();
    if (this.#running >= this.#limit)
      throw toFullError(`${this.#limit} calls are running, as many as may; try again later`);
    this.#running += 1;
  }

  /** A call has been answered, or nobody waits for it any more. */
  leave(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#onIdle?.();
  }

  /** Takes no more calls; resolves when the last is answered, or after a while. */
  drain(limitMs: number): Promise<void> {
    this.#stopping = true;
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#clock.after(limitMs, resolve);
      this.#onIdle = () => {
        cancel();
        // The last answer is on its way but not out yet.
        setImmediate(resolve);
      };
    });
  }
}

/** The refusal of what would be more than the gateway may hold. */
export function toFullError(message: string): GatewayError {
  return new GatewayError('TOO_BUSY', message, { data: { retryAfterSeconds: RETRY_AFTER_SECONDS } });
}

/** The refusal of what comes while the gateway stops. */
export function toStoppingError(): GatewayError {
  return new GatewayError('TOO_BUSY', 'the gateway is stopping; try again when it is back', {
    data: { stopping: true, retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
}

/** The answer to a call that did not end in time: whether it had its effect is not known, so it is not to be repeated blindly. */
export function toCutError(): GatewayError {
  return new GatewayError(
    'TOO_BUSY',
    'the gateway stopped before the answer came; the call may have had its effect, check before repeating it',
    { data: { stopping: true, retry: false } },
  );
}

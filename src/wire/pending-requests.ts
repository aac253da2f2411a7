/** The requests of ours that are out: who waits for each, and for how long. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { CancelSignal } from '../lib/cancel.ts';
import type { CancelTimer, Clock } from '../lib/clock.ts';
import type { JsonObject } from '../model/json.ts';
import type { RequestId } from './message.ts';

/** How one request is waited for. */
export interface Wait {
  readonly signal?: CancelSignal | undefined;
  /** Without an answer or progress for this long, the request is given up. */
  readonly timeoutMs?: number | undefined;
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
}

/** Told that a request is waited for no longer: with which error, and what the other side is told. */
export type GiveUp = (id: RequestId, error: unknown, reason: string) => void;

/** One request that waits for its answer. */
export class PendingRequest {
  readonly method: string;
  readonly answer: Promise<JsonObject>;
  resolve!: (result: JsonObject) => void;
  reject!: (error: unknown) => void;
  readonly #id: RequestId;
  readonly #wait: Wait;
  readonly #clock: Clock;
  readonly #giveUp: GiveUp;
  #cancelTimer: CancelTimer | undefined;
  #holds = 0;

  constructor(id: RequestId, method: string, wait: Wait, clock: Clock, giveUp: GiveUp) {
    this.#id = id;
    this.method = method;
    this.#wait = wait;
    this.#clock = clock;
    this.#giveUp = giveUp;
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    wait.signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#arm();
  }

  /** Hands on progress and starts the waiting time anew; false when nobody wants to hear of it. */
  progress(params: JsonObject): boolean {
    const { onProgress } = this.#wait;
    if (!onProgress) return false;
    this.#arm();
    onProgress(params);
    return true;
  }

  /** Stops the waiting time while someone else is being waited for; the returned function starts it anew. */
  hold(): () => void {
    this.#holds += 1;
    this.#cancelTimer?.();
    return () => {
      this.#holds -= 1;
      this.#arm();
    };
  }

  /** Lets go of the timer and the signal. */
  release(): void {
    this.#holds = Number.POSITIVE_INFINITY;
    this.#cancelTimer?.();
    this.#wait.signal?.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => this.#giveUp(this.#id, this.#wait.signal?.reason, 'cancelled');

  readonly #onTimeout = (): void => {
    const { timeoutMs = 0 } = this.#wait;
    this.#giveUp(this.#id, toTimeoutError(this.method, timeoutMs), 'timed out');
  };

  #arm(): void {
    const { timeoutMs } = this.#wait;
    this.#cancelTimer?.();
    if (timeoutMs !== undefined && this.#holds === 0)
      this.#cancelTimer = this.#clock.after(timeoutMs, this.#onTimeout);
  }
}

/** All of them, by id. */
export type PendingRequests = Map<RequestId, PendingRequest>;

function toTimeoutError(method: string, timeoutMs: number): GatewayError {
  return new GatewayError('UPSTREAM_TIMEOUT', `no answer to ${method} within ${timeoutMs} ms`, {
    data: { timeoutMs },
  });
}

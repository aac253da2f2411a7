/** The requests of ours that are out: who waits for each, and for how long. */
import type { CancelSignal } from '../lib/cancel.ts';
import type { CancelTimer, Clock } from '../lib/clock.ts';
import type { JsonObject } from '../model/json.ts';
import type { RequestId } from './message.ts';

/** How one request is waited for. */
export interface Wait {
  readonly method: string;
  readonly signal: CancelSignal | undefined;
  /** Without an answer or progress for this long, the request is given up. */
  readonly timeoutMs: number | undefined;
  readonly onProgress: ((params: JsonObject) => void) | undefined;
  readonly onAbort: () => void;
  readonly onTimeout: () => void;
}

/** One request that waits for its answer. */
export class PendingRequest {
  readonly method: string;
  readonly answer: Promise<JsonObject>;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
  readonly #wait: Wait;
  readonly #clock: Clock;
  #cancelTimer: CancelTimer | undefined;
  #holds = 0;

  constructor(wait: Wait, clock: Clock) {
    this.method = wait.method;
    this.#wait = wait;
    this.#clock = clock;
    let settle: { resolve: (result: JsonObject) => void; reject: (error: unknown) => void } | undefined;
    this.answer = new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
    this.resolve = (result) => settle?.resolve(result);
    this.reject = (error) => settle?.reject(error);
    wait.signal?.addEventListener('abort', wait.onAbort, { once: true });
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
    this.#wait.signal?.removeEventListener('abort', this.#wait.onAbort);
  }

  #arm(): void {
    const { timeoutMs, onTimeout } = this.#wait;
    this.#cancelTimer?.();
    if (timeoutMs !== undefined && this.#holds === 0)
      this.#cancelTimer = this.#clock.after(timeoutMs, onTimeout);
  }
}

/** All of them, by id. */
export type PendingRequests = Map<RequestId, PendingRequest>;

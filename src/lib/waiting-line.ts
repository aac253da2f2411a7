/** A line in which callers wait for a place: in the order they came, not for ever, and no longer than they wish. */
import type { CancelSignal } from './cancel.ts';
import type { Clock } from './clock.ts';

/** One who waits. */
export interface Waiter<Place> {
  /** Aborts when they no longer wish to. */
  readonly signal: CancelSignal;
  readonly limitMs: number;
  /** Takes the place, in the same moment in which it is given. */
  take(): Place;
  /** What they are told when the time is up; they no longer stand in the line then. */
  toLateError(): Error;
}

/** Those who wait. */
export interface WaitingLine<Place, W extends Waiter<Place>> {
  readonly size: number;
  readonly first: W | undefined;
  /** Joins at the end; resolves with what `take` gave. */
  wait(waiter: W): Promise<Place>;
  /** Lets the first one go, if anybody waits. */
  admitFirst(): void;
  /** Lets all go who are meant, in their order. */
  admitAll(isMeant: (waiter: W) => boolean): void;
}

/** Creates an empty line. */
export function createWaitingLine<Place, W extends Waiter<Place> = Waiter<Place>>(
  clock: Clock,
): WaitingLine<Place, W> {
  /** Each with the way to let them go. */
  const waiting = new Map<W, () => void>();

  function wait(waiter: W): Promise<Place> {
    const { signal, limitMs } = waiter;
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.delete(waiter);
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = () => {
        leave();
        reject(signal.reason);
      };
      const cancelTimer = clock.after(limitMs, () => {
        leave();
        reject(waiter.toLateError());
      });
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.set(waiter, () => {
        leave();
        resolve(waiter.take());
      });
    });
  }

  return {
    get size() {
      return waiting.size;
    },
    get first() {
      return waiting.keys().next().value;
    },
    wait,
    admitFirst: () => waiting.values().next().value?.(),
    admitAll(isMeant) {
      for (const [waiter, go] of [...waiting]) if (isMeant(waiter)) go();
    },
  };
}

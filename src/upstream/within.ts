/** Waits for something, but not for ever. */
import type { CancelSignal } from '../lib/cancel.ts';
import type { Clock } from '../lib/clock.ts';

/** True when the promise settles within the time, false when the time is up first. */
export function settlesWithin(promise: Promise<unknown>, limitMs: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(limitMs, () => resolve(false));
    const settled = () => {
      cancel();
      resolve(true);
    };
    promise.then(settled, settled);
  });
}

/** Resolves after a delay, or at once when the signal aborts. */
export function pause(delayMs: number, clock: Clock, signal: CancelSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = () => {
      cancel();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.after(delayMs, finish);
    signal.addEventListener('abort', finish, { once: true });
  });
}

/** What the promise gives, or the signal's reason as soon as it aborts. */
export function orAborted<T>(promise: Promise<T>, signal: CancelSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

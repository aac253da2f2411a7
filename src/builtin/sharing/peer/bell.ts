/** Wakes whoever waits for something to do; a ring that nobody heard is kept for the next who waits. */

/** A bell. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring, or at once when there was one since; rejects when the signal is raised. */
  wait(signal: AbortSignal): Promise<void>;
}

/** Creates a bell for one listener. */
export function createBell(): Bell {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    async wait(signal) {
      signal.throwIfAborted();
      if (!rung) await nextRing(signal);
      rung = false;
    },
  };

  function nextRing(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        wake = undefined;
        reject(signal.reason);
      };
      wake = () => {
        wake = undefined;
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}

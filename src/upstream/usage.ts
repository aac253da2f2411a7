/** Who uses a link at this moment, how often it was used, and when nobody has for too long. */
import type { CancelTimer, Clock } from '../lib/clock.ts';
import type { Leave } from './bulkhead.ts';

/** The use of one link. */
export interface Usage {
  /** How many use it now. */
  readonly running: number;
  /** How often it was used. */
  readonly total: number;
  /** When the last use was over. */
  readonly lastAt: number;
  /** Counts a use, from now until the returned function is called. */
  enter(): Leave;
  /** The link is open: from now on it counts when nobody uses it. */
  opened(): void;
  /** The link is closed: nobody need be watched. */
  closed(): void;
}

/** What is watched, and whom to tell. */
export interface UsageOptions {
  readonly clock: Clock;
  /** 0 never tells. */
  readonly idleStopMs: number;
  /** The last use is over. */
  onFree(): void;
  /** Nobody used it for that long. */
  onIdle(): void;
}

/** Creates the count of a link that is closed. */
export function createUsage({ clock, idleStopMs, onFree, onIdle }: UsageOptions): Usage {
  let running = 0;
  let total = 0;
  let lastAt = 0;
  let cancelTimer: CancelTimer | undefined;

  // One timer that looks whether it rings too early is cheaper than a new one with every call.
  function look(): void {
    const restMs = running > 0 ? idleStopMs : lastAt + idleStopMs - clock.now();
    cancelTimer = restMs > 0 ? clock.after(restMs, look) : undefined;
    if (restMs <= 0) onIdle();
  }

  function closed(): void {
    cancelTimer?.();
    cancelTimer = undefined;
  }

  return {
    get running() {
      return running;
    },
    get total() {
      return total;
    },
    get lastAt() {
      return lastAt;
    },
    enter() {
      running += 1;
      total += 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        running -= 1;
        lastAt = clock.now();
        if (running === 0) onFree();
      };
    },
    opened() {
      closed();
      lastAt = clock.now();
      if (idleStopMs > 0) cancelTimer = clock.after(idleStopMs, look);
    },
    closed,
  };
}

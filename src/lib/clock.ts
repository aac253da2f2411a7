/** Time as a port, so that tests drive it. */

/** Ends a pending timer. */
export type CancelTimer = () => void;

/** Where time and timers come from. */
export interface Clock {
  /** Milliseconds that only ever grow; for durations. */
  now(): number;
  /** Runs once after a delay; never keeps the process alive on its own. */
  after(delayMs: number, run: () => void): CancelTimer;
}

/** The time of day, in milliseconds since 1970; for what outlives the process. */
export type Now = () => number;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

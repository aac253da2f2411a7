/** A clock that stands still until a test moves it. */
import { type Clock, systemClock } from '../../src/lib/clock.ts';

/** A clock with a hand. */
export interface FakeClock extends Clock {
  /** Moves time on and runs what falls due, in order; promises get a turn in between. */
  advance(ms: number): Promise<void>;
  readonly waiting: number;
}

/** Creates a clock at zero. */
export function createFakeClock(): FakeClock {
  let now = 0;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => now,
    after(delayMs, run) {
      const timer = { at: now + delayMs, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    async advance(ms) {
      const end = now + ms;
      for (;;) {
        await settle();
        const next = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        now = next.at;
        timers = timers.filter((timer) => timer !== next);
        next.run();
      }
      now = end;
      await settle();
    },
    get waiting() {
      return timers.length;
    },
  };
}

/** Lets everything that is ready to run do so. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A real clock whose timers ring sooner, for programs that cannot be moved by hand. */
export function createFastClock(factor: number): Clock {
  return {
    now: () => systemClock.now() * factor,
    after: (delayMs, run) => systemClock.after(delayMs / factor, run),
  };
}

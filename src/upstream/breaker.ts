/** Counts failures: how long to wait after each, and when there were so many that one probe at a time is enough. */
import { type BackoffLimits, toBackoffMs } from './backoff.ts';

/** What a failure comes to. */
export interface Verdict {
  /** How long to wait before the next attempt. */
  readonly delayMs: number;
  /** True when the breaker is open: until an attempt succeeds there is one probe, now and then. */
  readonly isOpen: boolean;
}

/** The memory of one link's failures. */
export interface Breaker {
  /** Notes a failure; `patient` where time alone seldom mends what is wrong. */
  failed(now: number, patient: boolean): Verdict;
  /** Forgets all failures: the server has shown that it works, or a person has had a hand in it. */
  reset(): void;
}

/** The limits for restarting an upstream. */
export const RESTART_LIMITS: BackoffLimits = { baseMs: 500, capMs: 60_000 };
/** So many failures within the window open the breaker. */
const OPENS_AT = 5;
const WINDOW_MS = 60_000;
/** How far apart probes are while it is open; for programs that do not even start, further. */
const PROBE_MS = { min: 30_000, max: 60_000 };
const PATIENT_PROBE_MS = { min: 120_000, max: 150_000 };

/** Creates a breaker without failures; `random` gives numbers in [0, 1). */
export function createBreaker(random: () => number): Breaker {
  let failures = 0;
  let times: readonly number[] = [];
  let isOpen = false;
  return {
    failed(now, patient) {
      failures += 1;
      times = [...times, now].filter((time) => now - time <= WINDOW_MS);
      isOpen ||= times.length >= OPENS_AT;
      if (!isOpen) return { delayMs: toBackoffMs(failures, RESTART_LIMITS, random()), isOpen };
      const { min, max } = patient ? PATIENT_PROBE_MS : PROBE_MS;
      return { delayMs: Math.floor(min + (max - min) * random()), isOpen };
    },
    reset() {
      failures = 0;
      times = [];
      isOpen = false;
    },
  };
}

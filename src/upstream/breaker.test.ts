import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBackoffMs } from './backoff.ts';
import { createBreaker, RESTART_LIMITS } from './breaker.ts';

describe('the breaker', () => {
  it('opens at the fifth failure within a minute, and stays open until something succeeds', () => {
    const breaker = createBreaker(() => 0.5);
    const early = [0, 1, 2, 3].map((at) => breaker.failed(at * 1_000, false).isOpen);
    expect(early).toEqual([false, false, false, false]);
    expect(breaker.failed(4_000, false)).toEqual({ isOpen: true, delayMs: 45_000 });
    expect(breaker.failed(600_000, false).isOpen).toBe(true);
    breaker.reset();
    expect(breaker.failed(601_000, false)).toEqual({ isOpen: false, delayMs: 250 });
  });

  it('does not open for failures further apart', () => {
    const breaker = createBreaker(() => 0);
    const opened = Array.from({ length: 50 }, (_, at) => breaker.failed(at * 15_001, false).isOpen);
    expect(opened).not.toContain(true);
  });

  it('never lets more than a minute pass between attempts, except for programs that do not start', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(100_000), fc.boolean()), { maxLength: 40 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (failures, random) => {
          const breaker = createBreaker(() => random);
          let now = 0;
          for (const [gap, patient] of failures) {
            now += gap;
            const { delayMs, isOpen } = breaker.failed(now, patient);
            expect(delayMs).toBeGreaterThanOrEqual(isOpen ? 30_000 : 0);
            expect(delayMs).toBeLessThanOrEqual(isOpen && patient ? 150_000 : 60_000);
          }
        },
      ),
    );
  });
});

describe('the back-off', () => {
  it('doubles up to its cap, with full jitter', () => {
    const ceilings = [0, 1, 2, 3, 8, 50].map((failures) => toBackoffMs(failures, RESTART_LIMITS, 1));
    expect(ceilings).toEqual([0, 500, 1_000, 2_000, 60_000, 60_000]);
    expect(toBackoffMs(5, RESTART_LIMITS, 0)).toBe(0);
  });
});

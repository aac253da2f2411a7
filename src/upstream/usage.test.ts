import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createUsage } from './usage.ts';

function setUp(idleStopMs = 600_000) {
  const clock = createFakeClock();
  const idleAt: number[] = [];
  let frees = 0;
  const usage = createUsage({
    clock,
    idleStopMs,
    onFree: () => {
      frees += 1;
    },
    onIdle: () => idleAt.push(clock.now()),
  });
  return { clock, usage, idleAt, frees: () => frees };
}

describe('the use of a link', () => {
  it('ends ten minutes after the last of it, to the millisecond', async () => {
    const { clock, usage, idleAt } = setUp();
    usage.opened();
    await clock.advance(599_000);
    const leave = usage.enter();
    await clock.advance(5_000);
    leave();
    await clock.advance(3_600_000);
    expect(idleAt).toEqual([1_204_000]);
  });

  it('never ends with a call in flight', async () => {
    const { clock, usage, idleAt, frees } = setUp();
    usage.opened();
    const leave = [usage.enter(), usage.enter()];
    await clock.advance(24 * 3_600_000);
    leave[0]?.();
    leave[0]?.();
    await clock.advance(24 * 3_600_000);
    expect(idleAt).toEqual([]);
    leave[1]?.();
    expect([usage.running, usage.total, frees()]).toEqual([0, 2, 1]);
    await clock.advance(600_000);
    expect(idleAt).toHaveLength(1);
  });

  it('is not watched while the link is closed, or where it may stay open for ever', async () => {
    const { clock, usage, idleAt } = setUp();
    usage.opened();
    usage.closed();
    const forever = setUp(0);
    forever.usage.opened();
    await clock.advance(3_600_000);
    await forever.clock.advance(3_600_000);
    expect([idleAt, forever.idleAt, clock.waiting, forever.clock.waiting]).toEqual([[], [], 0, 0]);
  });
});

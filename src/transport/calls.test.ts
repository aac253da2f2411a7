import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { CallCounter } from './calls.ts';

const isSettled = async (promise: Promise<void>) => {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return settled;
};

describe('the calls in flight', () => {
  it('are bounded', () => {
    const calls = new CallCounter(createFakeClock(), 2);
    calls.enter();
    calls.enter();
    expect(() => calls.enter()).toThrow(expect.objectContaining({ code: 'TOO_BUSY' }));
    calls.leave();
    expect(() => calls.enter()).not.toThrow();
  });

  it('are waited for when the gateway stops, and no more are taken', async () => {
    const clock = createFakeClock();
    const calls = new CallCounter(clock);
    calls.enter();
    const drained = calls.drain(1_000);
    expect(() => calls.enter()).toThrow(
      expect.objectContaining({ data: expect.objectContaining({ stopping: true }) }),
    );
    expect(await isSettled(drained)).toBe(false);
    calls.leave();
    expect(await isSettled(drained)).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  it('are not waited for for ever', async () => {
    const clock = createFakeClock();
    const calls = new CallCounter(clock);
    calls.enter();
    const drained = calls.drain(1_000);
    await clock.advance(1_000);
    expect(await isSettled(drained)).toBe(true);
  });

  it('cost a stop nothing when there are none', async () => {
    expect(await isSettled(new CallCounter(createFakeClock()).drain(1_000))).toBe(true);
  });
});

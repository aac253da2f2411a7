import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createBulkhead, type Leave } from './bulkhead.ts';

const live = () => new AbortController().signal;
const create = (maxInFlight: number, maxQueue: number) => {
  const clock = createFakeClock();
  return { clock, bulkhead: createBulkhead({ name: 'x', maxInFlight, maxQueue, maxWaitMs: 1_000, clock }) };
};

describe('the bulkhead', () => {
  it('serves 8, lets 64 wait and refuses 1,928 of 2,000 at once, with when to try again', async () => {
    const { bulkhead } = create(8, 64);
    const all = Array.from({ length: 2_000 }, () => bulkhead.enter(live()));
    const served: Leave[] = [];
    const refused: unknown[] = [];
    const done = all.map((one) =>
      one.then(
        (leave) => void served.push(leave),
        (error: unknown) => void refused.push(error),
      ),
    );
    await new Promise(setImmediate);
    expect([served.length, bulkhead.queued, refused.length]).toEqual([8, 64, 1_928]);
    expect(refused[0]).toMatchObject({
      code: 'TOO_BUSY',
      message: 'x: is busy with 8 calls, and 64 wait; try again in 1 s',
      data: { upstream: 'x', retryInMs: 1_000 },
    });
    while (served.length > 0) {
      served.shift()?.();
      await Promise.resolve();
    }
    await Promise.all(done);
    expect([bulkhead.running, bulkhead.queued]).toEqual([0, 0]);
  });

  it('lets nobody wait for ever, and forgets those who gave up', async () => {
    const { bulkhead, clock } = create(1, 2);
    const leave = await bulkhead.enter(live());
    const controller = new AbortController();
    const cancelled = bulkhead.enter(controller.signal);
    const late = bulkhead.enter(live());
    controller.abort(new Error('enough'));
    await expect(cancelled).rejects.toThrow('enough');
    const refusal = expect(late).rejects.toMatchObject({ code: 'TOO_BUSY' });
    await clock.advance(1_000);
    await refusal;
    expect(bulkhead.queued).toBe(0);
    leave();
    leave();
    expect(bulkhead.running).toBe(0);
    expect(clock.waiting).toBe(0);
  });

  it('advises to wait for as long as those before will take', async () => {
    const { bulkhead, clock } = create(1, 0);
    for (let call = 0; call < 40; call++) {
      const leave = await bulkhead.enter(live());
      await clock.advance(8_000);
      leave();
    }
    await bulkhead.enter(live());
    await expect(bulkhead.enter(live())).rejects.toMatchObject({
      data: { retryInMs: expect.closeTo(8_000, -2) },
    });
  });

  it('never has more running than it may, and serves in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.nat(3), { maxLength: 60 }),
        async (max, steps) => {
          const { bulkhead } = create(max, 1_000);
          const inside: { at: number; leave: Leave }[] = [];
          const order: number[] = [];
          for (const [at, step] of steps.entries()) {
            if (step > 0) {
              void bulkhead.enter(live()).then((leave) => {
                order.push(at);
                inside.push({ at, leave });
              });
            } else inside.shift()?.leave();
            await new Promise(setImmediate);
            expect(bulkhead.running).toBeLessThanOrEqual(max);
          }
          expect(order).toEqual([...order].sort((a, b) => a - b));
        },
      ),
      { numRuns: 50 },
    );
  });
});

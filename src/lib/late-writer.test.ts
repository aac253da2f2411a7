import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createLateWriter } from './late-writer.ts';

/** A writer whose writes end when the test says so. */
function setUp(options: { readonly lastMs?: number } = {}) {
  const clock = createFakeClock();
  const ends: ((error?: Error) => void)[] = [];
  const write = () =>
    new Promise<void>((resolve, reject) => {
      ends.push((error) => (error ? reject(error) : resolve()));
    });
  const writer = createLateWriter({ write, clock, ...options });
  return { clock, ends, writer };
}

describe('a late writer', () => {
  it('writes once for many changes, two seconds after the first', async () => {
    const { clock, ends, writer } = setUp();
    writer.soon();
    await clock.advance(1_500);
    writer.soon();
    await clock.advance(499);
    expect(ends).toHaveLength(0);
    await clock.advance(1);
    expect(ends).toHaveLength(1);
    expect(clock.waiting).toBe(0);
  });

  it('writes one after the other, and goes on after one that failed', async () => {
    const { clock, ends, writer } = setUp();
    const first = writer.flush();
    const second = writer.flush();
    await clock.advance(0);
    expect(ends).toHaveLength(1);
    ends[0]?.(new Error('the disk is full'));
    await first;
    await clock.advance(0);
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await second;
  });

  it('waits at the end for a write that runs and for what is left', async () => {
    const { clock, ends, writer } = setUp();
    writer.soon();
    await clock.advance(2_000);
    let isOver = false;
    const over = writer[Symbol.asyncDispose]().then(() => {
      isOver = true;
    });
    await clock.advance(60_000);
    ends[0]?.();
    await clock.advance(0);
    expect([ends.length, isOver]).toEqual([2, false]);
    ends[1]?.();
    await over;
  });

  it('waits no longer than it is told, and leaves no timer behind', async () => {
    const { clock, ends, writer } = setUp({ lastMs: 500 });
    const over = writer[Symbol.asyncDispose]();
    await clock.advance(500);
    await over;
    ends[0]?.();
    const again = writer[Symbol.asyncDispose]();
    await clock.advance(0);
    ends[1]?.();
    await again;
    expect(clock.waiting).toBe(0);
  });
});

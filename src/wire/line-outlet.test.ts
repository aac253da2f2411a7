import { Writable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { Outlet } from './line-outlet.ts';

/** A reader that reads only when told to. */
function setUp({ limitBytes = 10_000_000, reading = false } = {}) {
  const clock = createFakeClock();
  const taken: string[] = [];
  let go: (() => void) | undefined;
  const output = new Writable({
    highWaterMark: 16_384,
    decodeStrings: false,
    write(chunk, _encoding, done) {
      taken.push(String(chunk));
      if (reading) done();
      else go = done;
    },
  });
  output.on('error', () => {});
  const onStalled = vi.fn();
  const onPressure = vi.fn();
  const outlet = new Outlet({ output, clock, limitBytes, onStalled, onPressure });
  const readOnce = async () => {
    const done = go;
    go = undefined;
    done?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, output, outlet, taken, onStalled, onPressure, readOnce };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('an outlet', () => {
  it('writes what one turn brings at once', async () => {
    const { outlet, taken } = setUp({ reading: true });
    outlet.write('a\n');
    outlet.write('b\n');
    await turn();
    outlet.write('c\n');
    await turn();
    expect(taken).toEqual(['a\nb\n', 'c\n']);
  });

  it('keeps the order and every byte when the reader is slow', async () => {
    const { outlet, taken, readOnce, clock } = setUp();
    const sent = Array.from({ length: 200 }, (_, at) => `${at}:${'é'.repeat(at * 50)}\n`);
    for (const text of sent) {
      outlet.write(text);
      if (text.length % 7 === 0) await turn();
    }
    while (outlet.waiting > 0) await readOnce();
    expect(taken.join('').length).toBeGreaterThan(100_000);
    expect(taken.join('') === sent.join('')).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  it('says when nothing more should be asked for, and when that is over', async () => {
    const { outlet, onPressure, readOnce } = setUp();
    outlet.write('x'.repeat(3_000_000));
    expect(onPressure.mock.calls).toEqual([[true]]);
    while (outlet.waiting > 0) await readOnce();
    expect(onPressure.mock.calls).toEqual([[true], [false]]);
  });

  it('gives up a reader that takes nothing for 25 seconds, or a trickle', async () => {
    for (const reads of [0, 2]) {
      const { outlet, clock, onStalled, readOnce } = setUp();
      outlet.write('x'.repeat(3_000_000));
      for (let read = 0; read < reads; read++) await readOnce();
      await clock.advance(24_000);
      expect(onStalled).not.toHaveBeenCalled();
      await clock.advance(1_000);
      expect(onStalled).toHaveBeenCalledTimes(1);
      expect([outlet.waiting, clock.waiting]).toEqual([0, 0]);
    }
  });

  it('leaves a slow reader that goes on reading alone', async () => {
    const { outlet, clock, onStalled, readOnce } = setUp();
    outlet.write('x'.repeat(3_000_000));
    while (outlet.waiting > 0) {
      for (let read = 0; read < 6; read++) await readOnce();
      await clock.advance(24_999);
    }
    expect(onStalled).not.toHaveBeenCalled();
  });

  it('gives up a reader for whom too much waits', async () => {
    const { outlet, onStalled } = setUp({ limitBytes: 100_000 });
    outlet.write('x'.repeat(60_000));
    outlet.write('x'.repeat(90_000));
    await turn();
    outlet.write('x'.repeat(90_000));
    expect(onStalled).toHaveBeenCalledTimes(1);
  });

  it('tells which texts never left', async () => {
    const { outlet, output } = setUp();
    const lost = vi.fn();
    outlet.write('x'.repeat(70_000));
    outlet.write('later\n', lost);
    output.destroy();
    await turn();
    expect(lost).toHaveBeenCalledTimes(1);
    outlet.write('too late\n', lost);
    expect(lost).toHaveBeenCalledTimes(2);
  });

  it('finishes when everything is out', async () => {
    const { outlet, taken, readOnce } = setUp();
    outlet.write('x'.repeat(200_000));
    const finished = outlet.finish(1_000);
    for (let read = 0; read < 6; read++) await readOnce();
    await finished;
    expect(taken.join('')).toHaveLength(200_000);
  });
});

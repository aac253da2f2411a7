import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LOCK_STEPS, takeLock } from './edit-file-lock.ts';

type Pause = () => Promise<void>;

/** More than anybody needs: when so many were taken, they wait for each other. */
const MOST_STEPS = 2_000;

/** Lets one of them go on whenever all have come to a pause, chosen by what is given. */
async function inSteps(
  order: fc.Stream<number>,
  everybody: readonly ((pause: Pause) => Promise<void>)[],
): Promise<void> {
  const waiting: (() => void)[] = [];
  let running = everybody.length;
  let taken = 0;
  const letGo = () => {
    if (running === 0 || waiting.length < running) return;
    taken += 1;
    if (taken === MOST_STEPS) throw new Error('nobody gets on');
    const { value = 0 } = order.next();
    const [go] = waiting.splice(value % waiting.length, 1);
    go?.();
  };
  const pause = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      letGo();
    });
  const end = () => {
    running -= 1;
    letGo();
  };
  await Promise.all(everybody.map((act) => act(pause).finally(end)));
}

/** The steps of taking a lock, each after a pause. */
function toPaused(pause: Pause): typeof LOCK_STEPS {
  const paused = Object.entries(LOCK_STEPS).map(([name, act]) => [
    name,
    (...args: readonly unknown[]) => pause().then(() => Reflect.apply(act, undefined, args)),
  ]);
  return { ...Object.fromEntries(paused), delay: pause };
}

const LEFT = {
  'by somebody': (path: string) => {
    const owner = join(path, 'a'.repeat(24));
    mkdirSync(path);
    writeFileSync(owner, '');
    utimesSync(owner, 1, 1);
  },
  'by an earlier version': (path: string) => {
    writeFileSync(path, '');
    utimesSync(path, 1, 1);
  },
};

describe('a lock that was left behind', () => {
  it.each(Object.entries(LEFT))(
    '%s is had by one at a time, in whatever order many take their steps',
    async (_, leave) => {
      const folder = mkdtempSync(join(tmpdir(), 'thimble-lock-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const path = join(folder, 'file.lock');
      const property = fc.asyncProperty(fc.infiniteStream(fc.nat(11)), async (order) => {
        rmSync(path, { recursive: true, force: true });
        leave(path);
        let holders = 0;
        let most = 0;
        const hold = async (pause: Pause) => {
          const unlock = await takeLock(path, toPaused(pause));
          holders += 1;
          most = Math.max(most, holders);
          for (let step = 0; step < 6; step++) await pause();
          holders -= 1;
          await unlock();
        };
        await inSteps(order, [hold, hold, hold, hold]);
        expect(most).toBe(1);
      });
      await fc.assert(property, { numRuns: 150, endOnFailure: true });
    },
    20_000,
  );
});

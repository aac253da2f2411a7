/** What the fault suite shares: how long it runs, what it counts, and how it prints its figures. */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { CancelTimer, Clock } from '../../src/lib/clock.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { readProcesses } from '../../src/upstream/connectors/stdio/processes.ts';
import type { Upstream } from '../../src/upstream/upstream.ts';
import { callText } from './upstream-parts.ts';

/** `FAULTS_FULL=1` runs everything at the length the figures are promised for. */
export const IS_FULL: boolean = process.env['FAULTS_FULL'] !== undefined;

/** How often something is done: few in CI, all at full length. */
export const times = (few: number, all: number): number => (IS_FULL ? all : few);

/** Prints one line of figures, so that a run can be read. */
export function printFigures(row: string, figures: Readonly<Record<string, string | number>>): void {
  const parts = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  process.stdout.write(`${row}: ${parts.join(', ')}\n`);
}

/** Milliseconds something took. */
export async function timed<T>(run: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const start = performance.now();
  const value = await run();
  return { value, ms: performance.now() - start };
}

/** What an error is, or the value when there was none. */
export const outcome = <T>(promise: Promise<T> | undefined): Promise<unknown> =>
  Promise.resolve(promise).catch((error: unknown) => error);

/** The value so many of a hundred are not above. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))] ?? 0;
}

/** Calls `echo` of each in turn, so many rounds, and says how long each call took. */
export async function measureEcho(upstreams: readonly Upstream[], rounds: number): Promise<number[]> {
  const latencies: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      upstreams.map(async (upstream) => {
        const said = `${upstream.config.name} ${round}`;
        const { value, ms } = await timed(() => callText(upstream, 'echo', { text: said }));
        if (value !== said) throw new Error(`a foreign answer: ${value} instead of ${said}`);
        latencies.push(ms);
      }),
    );
  }
  return latencies;
}

/** Calls `echo` of each for so long, with a pause between rounds. */
export async function measureFor(ms: number, upstreams: readonly Upstream[]): Promise<number[]> {
  const end = performance.now() + ms;
  const latencies: number[] = [];
  while (performance.now() < end) {
    latencies.push(...(await measureEcho(upstreams, 1)));
    // As fast as answers come would measure how much a busy machine can do, not how quick an answer is.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return latencies;
}

/** How many processes bear a mark in their command line. */
export async function countMarked(mark: string): Promise<number> {
  const commands = await Promise.all(
    (await readProcesses()).map(({ pid }) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return commands.filter((command) => command.includes(mark)).length;
}

/** File handles of this process. */
export const countHandles = (): number => readdirSync('/proc/self/fd').length;

/** A clock that knows how many of its timers are set. */
export interface CountingClock extends Clock {
  readonly pending: number;
}

/** Counts the timers of a clock. */
export function createCountingClock(clock: Clock = systemClock): CountingClock {
  const pending = new Set<object>();
  return {
    now: () => clock.now(),
    after(delayMs, run): CancelTimer {
      const timer = {};
      pending.add(timer);
      const cancel = clock.after(delayMs, () => {
        pending.delete(timer);
        run();
      });
      return () => {
        pending.delete(timer);
        cancel();
      };
    },
    get pending() {
      return pending.size;
    },
  };
}

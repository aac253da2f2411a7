/** Measurements on live targets, taken in turn, so that noise of the machine hits all of them alike. */
import { readFileSync } from 'node:fs';

/** The value below which a share of the numbers lies. */
export function percentile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** The middle of the numbers. */
export function median(numbers) {
  return percentile(numbers, 0.5);
}

/** One call at a time, each target in turn, a different one first each round. */
export async function measureLatency(targets, { calls, warmUp = 100 }) {
  for (const target of targets) for (let call = 0; call < warmUp; call++) await target.call();
  const times = new Map(targets.map(({ name }) => [name, []]));
  for (let round = 0; round < calls; round++)
    for (let turn = 0; turn < targets.length; turn++) {
      const target = targets[(round + turn) % targets.length];
      const started = performance.now();
      await target.call();
      times.get(target.name).push(performance.now() - started);
    }
  return new Map(
    [...times].map(([name, list]) => [name, { p50: median(list), p99: percentile(list, 0.99) }]),
  );
}

/** Calls a second at a number of callers, each target alone for a while, in turn, several rounds. */
export async function measureThroughput(targets, { callers, rounds, ms }) {
  const rates = new Map(targets.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (let turn = 0; turn < targets.length; turn++) {
      const target = targets[(round + turn) % targets.length];
      rates.get(target.name).push(await rateOf(target, callers, ms));
    }
  return new Map([...rates].map(([name, list]) => [name, median(list)]));
}

async function rateOf(target, callers, ms) {
  const started = performance.now();
  let calls = 0;
  const caller = async () => {
    while (performance.now() - started < ms) {
      await target.call();
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (calls * 1_000) / (performance.now() - started);
}

/** Resident memory of a process in MB. */
export function residentMb(pid) {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(text)[1]) / 1024;
}

import { expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { readProcesses } from './connectors/stdio/processes.ts';
import { createGroupMeter } from './group-meter.ts';

const row = (pid: number, group: number, memoryBytes: number) => ({
  pid,
  group,
  session: group,
  start: '1',
  memoryBytes,
});

it('adds up whole groups, with one look at the machine a second for all who ask', async () => {
  const clock = createFakeClock();
  let looks = 0;
  const meter = createGroupMeter(clock, async () => {
    looks += 1;
    return [row(10, 10, 100), row(11, 10, 50), row(20, 20, 7)];
  });
  expect(await Promise.all([10, 20, 30].map((leader) => meter.memoryOf(leader)))).toEqual([
    150,
    7,
    undefined,
  ]);
  expect(looks).toBe(1);
  await clock.advance(1_001);
  await meter.memoryOf(10);
  expect(looks).toBe(2);
});

it('sees this very process about as large as it says itself', async () => {
  const self = (await readProcesses()).find(({ pid }) => pid === process.pid);
  expect(self?.memoryBytes).toBeGreaterThan(process.memoryUsage.rss() / 2);
  expect(self?.memoryBytes).toBeLessThan(process.memoryUsage.rss() * 2);
});

/** How much memory process groups take; all who ask within a second share one look at the machine. */
import type { Clock } from '../lib/clock.ts';
import { readProcesses } from './connectors/stdio/processes.ts';

/** Measures groups, each known by the pid of its leader. */
export interface GroupMeter {
  /** The resident memory of a whole group in bytes; undefined where the system does not tell. */
  memoryOf(leader: number): Promise<number | undefined>;
}

const FRESH_MS = 1_000;

/** Creates a meter. */
export function createGroupMeter(clock: Clock, read = readProcesses): GroupMeter {
  let last: { readonly at: number; readonly sums: Promise<ReadonlyMap<number, number>> } | undefined;
  return {
    async memoryOf(leader) {
      if (last === undefined || clock.now() - last.at > FRESH_MS)
        last = { at: clock.now(), sums: sumByGroup(read) };
      return (await last.sums).get(leader);
    },
  };
}

async function sumByGroup(read: typeof readProcesses): Promise<ReadonlyMap<number, number>> {
  const sums = new Map<number, number>();
  for (const { group, memoryBytes } of await read().catch(() => []))
    sums.set(group, (sums.get(group) ?? 0) + memoryBytes);
  return sums;
}

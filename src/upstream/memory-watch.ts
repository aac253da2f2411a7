/** Looks now and then how much memory a program and its children take, and tells when it is too much. */
import type { CancelTimer, Clock } from '../lib/clock.ts';
import type { GroupMeter } from './group-meter.ts';

/** What is watched, and whom to tell. */
export interface MemoryWatchOptions {
  /** The pid of the group's leader. */
  readonly leader: number;
  readonly limitBytes: number;
  readonly meter: GroupMeter;
  readonly clock: Clock;
  /** Told once, in words. */
  onOver(reason: string): void;
}

const LOOK_MS = 5_000;

/** Starts to watch; the returned function ends it. */
export function watchMemory({ leader, limitBytes, meter, clock, onOver }: MemoryWatchOptions): CancelTimer {
  let stopped = false;
  let cancelTimer: CancelTimer | undefined;
  const wait = () => {
    cancelTimer = clock.after(LOOK_MS, () => void look());
  };
  async function look(): Promise<void> {
    const bytes = (await meter.memoryOf(leader)) ?? 0;
    if (stopped) return;
    if (bytes > limitBytes) onOver(`it took ${toMb(bytes)}, over its limit of ${toMb(limitBytes)}`);
    else wait();
  }
  wait();
  return () => {
    stopped = true;
    cancelTimer?.();
  };
}

function toMb(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}

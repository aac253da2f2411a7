/** One at a time, first come first served. */

/** Whoever locks must unlock. */
export interface Mutex {
  lock(): Promise<void>;
  unlock(): void;
}

/** Creates an open mutex. */
export function createMutex(): Mutex {
  const waiting: (() => void)[] = [];
  let held = false;
  return {
    async lock() {
      if (!held) held = true;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    unlock() {
      const next = waiting.shift();
      if (next) next();
      else held = false;
    },
  };
}

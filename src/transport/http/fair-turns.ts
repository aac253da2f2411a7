/** Lets requests that arrive all at once begin in turns, so that a crowd at one tool does not hold up everybody else. */

/** Begins requests. */
export interface FairTurns {
  /** Begins at once while little else does; of more, every key gets its turn. */
  take(key: string, begin: () => void): void;
}

/** As many requests begin before everything else gets a turn. */
const PER_TURN = 4;

/** Creates them; `later` runs what is left after whatever else is ready. */
export function createFairTurns(later: (run: () => void) => void = setImmediate): FairTurns {
  /** In the order of their next turns; nobody is in it without something that waits. */
  const waiting = new Map<string, (() => void)[]>();
  let begun = 0;
  let isPlanned = false;

  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    later(turn);
  }

  function turn(): void {
    isPlanned = false;
    begun = 0;
    // Before anything begins: whatever happens to one of them, the rest has its turn.
    if (waiting.size > 0) plan();
    for (const [key, queue] of waiting) {
      if (begun === PER_TURN) break;
      const begin = queue.shift();
      waiting.delete(key);
      // Back in behind all others; a walk over a map meets it again in the same turn.
      if (queue.length > 0) waiting.set(key, queue);
      begun += 1;
      begin?.();
    }
  }

  return {
    take(key, begin) {
      plan();
      if (waiting.size === 0 && begun < PER_TURN) {
        begun += 1;
        begin();
        return;
      }
      const queue = waiting.get(key);
      if (queue) queue.push(begin);
      else waiting.set(key, [begin]);
    },
  };
}

/** Lets only so many things run at once; the others wait in order. */

/** Runs work when there is room for it. */
export interface Gate {
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Creates a gate with so many places. */
export function createGate(places: number): Gate {
  const waiting: (() => void)[] = [];
  let free = places;

  async function enter(): Promise<void> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }

  return {
    async run(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

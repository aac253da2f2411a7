/** Measures what must not take long, on machines that are busy with something else. */

/** The milliseconds of the quickest of a few runs: a busy machine may pause any single one. */
export async function quickestOf(times: number, run: () => unknown): Promise<number> {
  let quickest = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time++) {
    const started = performance.now();
    await run();
    quickest = Math.min(quickest, performance.now() - started);
  }
  return quickest;
}

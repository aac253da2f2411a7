/** How long to wait before the next attempt: exponential, with full jitter. */

/** The limits of a back-off. */
export interface BackoffLimits {
  readonly baseMs: number;
  readonly capMs: number;
}

/** The delay after so many failures in a row; `random` is in [0, 1). */
export function toBackoffMs(failures: number, limits: BackoffLimits, random: number): number {
  if (failures <= 0) return 0;
  // 2 ** 30 times any base is over every cap, and larger powers would lose precision for nothing.
  const ceiling = Math.min(limits.capMs, limits.baseMs * 2 ** Math.min(failures - 1, 30));
  return Math.floor(ceiling * random);
}

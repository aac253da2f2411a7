/** Days as the ledger counts them: in UTC, and kept for a little more than a year. */

/** How long a day is. */
export const DAY_MS = 86_400_000;

/** What is older than this is forgotten. */
export const KEPT_DAYS = 400;

/** `2026-01-31`. */
export function toDayText(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** How a point in time is told to a person. */

/** An ISO time as people read it: `2026-01-31 14:05 UTC`. */
export function toMoment(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}

/** How long something took or has been, for people. */

/** A time span as people read it: `3 s`, `12 min`, `5 h`, `2 d`. */
export function toDuration(ms: number): string {
  const units: readonly (readonly [string, number])[] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
  ];
  const [unit, size] = units.find(([, each]) => ms >= each * 2) ?? ['s', 1_000];
  return `${Math.floor(ms / size)} ${unit}`;
}

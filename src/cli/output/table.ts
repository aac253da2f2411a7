/** Rows of text in columns that line up. */

/** Which side a column keeps to. */
export type Side = 'left' | 'right';

/** Lays rows out under their heads; numbers are best on the right. */
export function toTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  sides: readonly Side[],
): string {
  const all = [heads, ...rows];
  const widths = heads.map((_, at) => Math.max(...all.map((row) => (row[at] ?? '').length)));
  const toCell = (text: string, at: number) =>
    sides[at] === 'right' ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0);
  return all
    .map((row) =>
      heads
        .map((_, at) => toCell(row[at] ?? '', at))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A number as people read it: `12,345`. */
export function toNumber(value: number): string {
  return value.toLocaleString('en-US');
}

/** A size as people read it. */
export function toBytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(0)} MB`;
}

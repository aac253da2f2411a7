/** A change of a file as the lines a person reads before agreeing to it. */
import { createTwoFilesPatch } from 'diff';

/** More than this nobody reads; what is left out is counted. */
const MAX_LINES = 1_000;
const MAX_LINE_LENGTH = 2_000;
/** How much of a long line stands before what changes in it. */
const LEAD = 200;

/** How a diff is shown. */
export interface DiffOptions {
  readonly maxLines?: number;
  /** Takes secrets out of a line; it sees the line whole, since a part of a secret is not known for one. */
  hide?(line: string): string;
}

/** A unified diff of one file, bounded; empty when nothing changes. No `before` means a new file. */
export function toDiffLines(
  path: string,
  before: string | undefined,
  after: string,
  { maxLines = MAX_LINES, hide = (line) => line }: DiffOptions = {},
): readonly string[] {
  if (before === after) return [];
  const from = before === undefined ? '(new file)' : path;
  const patch = createTwoFilesPatch(from, path, before ?? '', after, undefined, undefined, { context: 2 });
  const [old = '', now = '', ...changes] = patch
    .split('\n')
    .filter((line, index) => line !== '' && !(index < 2 && /^(Index: |={10})/.test(line)));
  const lines = [old, now, ...shorten(changes.map(hide))];
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines), `(and ${lines.length - maxLines} more lines)`];
}

/** Of a line that is too long the part around what changes is shown. */
function shorten(lines: readonly string[]): readonly string[] {
  // A remark on a missing newline may stand between a line and what takes its place.
  const places = lines.flatMap((line, at) => (line.startsWith('\\') ? [] : [at]));
  const plain = places.map((at) => lines[at] ?? '');
  return lines.map((line, at) => {
    if (line.length <= MAX_LINE_LENGTH) return line;
    const other = findOther(plain, places.indexOf(at));
    const start = other === undefined ? 1 : Math.max(1, findDifference(line, other) - LEAD);
    const end = start + MAX_LINE_LENGTH;
    const more = line.length - end;
    const tail = more > 0 ? `… (${more} more characters)` : '';
    return `${line.slice(0, 1)}${start > 1 ? '…' : ''}${line.slice(start, end)}${tail}`;
  });
}

/** The line that took the place of a line that went, or the one that went. */
function findOther(lines: readonly string[], at: number): string | undefined {
  const sign = lines[at]?.[0];
  if (sign !== '+' && sign !== '-') return undefined;
  const step = sign === '-' ? 1 : -1;
  const other = sign === '-' ? '+' : '-';
  const edge = (from: number, by: number) => {
    let place = from;
    while (lines[place + by]?.[0] === sign) place += by;
    return place;
  };
  const first = edge(at, -1);
  const last = edge(at, 1);
  const size = last - first + 1;
  const facing = step === 1 ? last + 1 + (at - first) : first - size + (at - first);
  const found = lines[facing];
  return found?.[0] === other ? found : lines[step === 1 ? last + 1 : first - 1];
}

function findDifference(line: string, other: string): number {
  let at = 1;
  while (at < line.length && line[at] === other[at]) at++;
  return at < line.length ? at : 1;
}

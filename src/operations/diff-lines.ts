/** A change of a file as the lines a person reads before agreeing to it. */
import { createTwoFilesPatch } from 'diff';

/** More than this nobody reads; what is left out is counted. */
const MAX_LINES = 80;
const MAX_LINE_LENGTH = 300;

/** A unified diff of one file, bounded; empty when nothing changes. No `before` means a new file. */
export function toDiffLines(
  path: string,
  before: string | undefined,
  after: string,
  maxLines: number = MAX_LINES,
): readonly string[] {
  if (before === after) return [];
  const from = before === undefined ? '(new file)' : path;
  const patch = createTwoFilesPatch(from, path, before ?? '', after, undefined, undefined, { context: 2 });
  const lines = patch
    .split('\n')
    .filter((line, index) => line !== '' && !(index < 2 && /^(Index: |={10})/.test(line)))
    .map((line) => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line));
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines), `(and ${lines.length - maxLines} more lines)`];
}

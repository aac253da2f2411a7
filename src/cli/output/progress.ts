/** Says on stderr what is being waited for, once that takes longer than a moment. */
import { type Clock, systemClock } from '../../lib/clock.ts';

/** How long nothing is said, in milliseconds. */
const PATIENCE_MS = 1_000;

/** Waits for work; a person left without an answer is told what for. */
export async function tellWhenSlow<Result>(
  work: Promise<Result>,
  toLine: () => string,
  say: (line: string) => void = (line) => void process.stderr.write(`${line}\n`),
  clock: Clock = systemClock,
): Promise<Result> {
  const cancel = clock.after(PATIENCE_MS, () => say(toLine()));
  try {
    return await work;
  } finally {
    cancel();
  }
}

/** Says a line of progress on stderr, so that what a command prints can still be piped. */
export function sayProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}

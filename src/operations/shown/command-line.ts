/** Programs and texts of others as they are shown to a person: nothing in them can pretend to be something else. */
import { HIDDEN } from '../secrets/secret-values.ts';
import { toName } from './quote.ts';

/** Stands in a text for what is hidden until it is written down as such; no text of others keeps it. */
export const HIDDEN_MARK = '\u{f0000}';

/** A command line for people to read; it is never given to a shell. */
export function toCommandLine(command: string, args: readonly string[]): string {
  return [command, ...args].map(toWord).join(' ');
}

/** A text of somebody else's in one line, without characters that hide or move things. */
export function toLine(text: string, maxLength = 200): string {
  const line = text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Co}]/gu, '')
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}

/** What is hidden stands outside of quotes, so that the same word in a text cannot be taken for it. */
function toWord(part: string): string {
  if (!part.includes(HIDDEN_MARK)) return toName(part);
  return part
    .split(HIDDEN_MARK)
    .map((piece) => (piece === '' ? '' : toName(piece)))
    .join(HIDDEN);
}

/** Texts of others inside a line: nothing in them can pretend to be something else, or do anything in a shell. */
import { toVisibleLine } from '../../lib/visible.ts';

/** More than this of a text nobody needs to know what is meant. */
const MAX_LENGTH = 80;
const PLAIN = /^[\w@%+=:,./-]+$/;
/** References say where a value comes from, and need no quotes to be told apart. */
const REFERENCE = /\$\{[\w:.-]+\}/g;

/** What somebody said, as a message repeats it: always in quotes, and cut when it is long. */
export function toShown(text: string): string {
  return quote(text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text);
}

/** A name or a word as it stands in a line, whole: in quotes only where it could be taken for more than one word. */
export function toName(text: string): string {
  return PLAIN.test(text.replace(REFERENCE, 'x')) ? text : quote(text);
}

/** A word for a person to copy into a shell. */
export function toShellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function quote(text: string): string {
  return toVisibleLine(JSON.stringify(text));
}

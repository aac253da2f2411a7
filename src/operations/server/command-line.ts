/** Programs and texts of others as they are shown to a person: nothing in them can pretend to be something else. */

const PLAIN = /^[\w@%+=:,./-]+$/;
/** What stands for a value, and needs no quotes to be told apart. */
const STANDING = /\(hidden\)|\$\{[\w:.-]+\}/g;

/** A command line for people to read; it is never given to a shell. */
export function toCommandLine(command: string, args: readonly string[]): string {
  return [command, ...args]
    .map((part) => (PLAIN.test(part.replace(STANDING, 'x')) ? part : quote(part)))
    .join(' ');
}

/** A text of somebody else's in one line, without characters that hide or move things. */
export function toLine(text: string, maxLength = 200): string {
  const line = text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Co}]/gu, '')
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}

function quote(part: string): string {
  return JSON.stringify(part).replace(
    /[\p{Cf}\p{Co}]/gu,
    (mark) => `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

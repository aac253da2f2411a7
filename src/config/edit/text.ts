/** Texts that are changed in place: where their lines begin and end, and what stands between two offsets. */

const BOM = '\uFEFF';

/** Splits off a byte order mark. */
export function splitBom(text: string): readonly [bom: string, body: string] {
  return text.startsWith(BOM) ? [BOM, text.slice(1)] : ['', text];
}

/** The line ending a text uses. */
export function toEol(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** The number of the line an offset stands in, from 1. */
export function toLineNumber(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Where the line of an offset begins. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the line of an offset ends, before its line ending. */
export function lineEnd(text: string, offset: number): number {
  const found = text.indexOf('\n', offset);
  if (found < 0) return text.length;
  return found > offset && text[found - 1] === '\r' ? found - 1 : found;
}

/** Where the line after the one of an offset begins. */
export function nextLine(text: string, offset: number): number {
  const found = text.indexOf('\n', offset);
  return found < 0 ? text.length : found + 1;
}

/** The white space a line begins with. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';
}

/** Puts a text between two offsets. */
export function splice(text: string, start: number, end: number, put: string): string {
  return text.slice(0, start) + put + text.slice(end);
}

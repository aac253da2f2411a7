/** The contract of a file format: texts are changed where they have to be, and nowhere else. */
import type { JsonValue } from '../../model/json.ts';

/** Members and indices from the top of a document down. */
export type DocumentPath = readonly (string | number)[];

/** What a text says, or the first thing wrong with it. */
export type Parsed =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly line: number; readonly problem: string };

/** A format whose texts can be changed in place. */
export interface Format {
  readonly name: 'JSON' | 'YAML' | 'TOML';
  /** Reads a text; a blank one is an empty document. */
  parse(text: string): Parsed;
  /** Puts a value at a path; what is missing on the way is made, an index past the end appends. */
  set(text: string, path: DocumentPath, value: JsonValue): string;
  /** Takes out what is at a path that exists. */
  remove(text: string, path: DocumentPath): string;
  /** What in a valid text keeps it from being changed, as the end of a sentence that begins with its path. */
  findTrap?(text: string): Trap | undefined;
  /** A small document with only what is at a path, laid out as it is; undefined when nothing is there. */
  focus?(text: string, path: DocumentPath): Focus | undefined;
}

/** A way of writing that means something only as a whole. */
export interface Trap {
  readonly says: string;
  /** What a person can do about it. */
  readonly wayOut: string;
}

/** A part of a long text, for many changes at little cost. */
export interface Focus {
  readonly text: string;
  /** The long text with the changed part in its place. */
  widen(changed: string): string;
}

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

/** A value under the members and indices that lead to it. */
export function nest(path: DocumentPath, value: JsonValue): JsonValue {
  return path.reduceRight<JsonValue>(
    (inner, part) => (typeof part === 'number' ? [inner] : Object.fromEntries([[part, inner]])),
    value,
  );
}

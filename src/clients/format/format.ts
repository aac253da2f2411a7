/** The contract of a file format: texts are changed where they have to be, and nowhere else. */
import type { JsonPath } from '../../config/jsonc.ts';
import type { JsonValue } from '../../model/json.ts';

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
  set(text: string, path: JsonPath, value: JsonValue): string;
  /** Takes out what is at a path that exists. */
  remove(text: string, path: JsonPath): string;
  /** What in a valid text keeps it from being changed, as the end of a sentence that begins with its path. */
  findTrap?(text: string): Trap | undefined;
  /** A small document with only what is at a path, laid out as it is; undefined when nothing is there. */
  focus?(text: string, path: JsonPath): Focus | undefined;
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

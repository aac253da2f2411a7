/** The small ports a mode may use beside the view: declared here by their consumer, made in the gateway. */
import type { Entry } from '../catalog/catalog.ts';
import type { SearchMemory } from '../catalog/search-memory.ts';
import type { JsonObject } from '../model/json.ts';

/** One thing wrong with a call's arguments. */
export interface ArgumentFault {
  /** Where, such as `items[0].name`; empty for the arguments as a whole. */
  readonly path: string;
  readonly problem: string;
  /** The name that is not known, when that is the problem. */
  readonly unknown?: string;
}

/** Checks arguments against a tool's own schema before anything is sent. */
export interface ArgumentCheck {
  /** The faults, none when all is well or the schema cannot be used. */
  check(entry: Entry, args: JsonObject): Promise<readonly ArgumentFault[]>;
}

/** What a mode is opened with. */
export interface ModePorts {
  /** The prefix of the gateway's own tools. */
  readonly namespace: string;
  readonly argumentCheck: ArgumentCheck;
  /** Hears which searches led to which calls: search may rank better for it, and shows nothing else for it. */
  readonly searchMemory: SearchMemory;
}

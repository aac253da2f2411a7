/** The small ports a mode may use beside the view: declared here by their consumer, made in the gateway. */
import type { Entry } from '../catalog/catalog.ts';
import type { SearchMemory } from '../catalog/search-memory.ts';
import type { JsonObject } from '../model/json.ts';
import type { ExposureOptions } from './options.ts';

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

/** Counts tokens (o200k_base) without holding up anything else. */
export interface TokenCount {
  count(text: string): Promise<number>;
}

/** What a mode remembers for each caller at one endpoint. */
export interface ModeState {
  read(caller: string): Promise<JsonObject | undefined>;
  /** Replaces it in one step; whoever shows this surface is told when its tools differ from then on. */
  update(caller: string, change: (now: JsonObject | undefined) => JsonObject): Promise<JsonObject>;
}

/** What a mode is opened with. */
export interface ModePorts {
  /** The prefix of the gateway's own tools. */
  readonly namespace: string;
  /** What the configuration says about modes, as of now. */
  readonly options: ExposureOptions;
  /** The longest name a tool may have, as of now. */
  maxName(): number;
  /** How to ask now for what a tool of an older system did; undefined for names nobody ever had. */
  renamed(name: string): Promise<string | undefined>;
  readonly argumentCheck: ArgumentCheck;
  readonly tokens: TokenCount;
  /** Remembered for this conversation; for clients whose requests stand alone, for the client. */
  readonly state: ModeState;
  /** Remembered for the client, whatever conversation it is in. */
  readonly kept: ModeState;
  /** Something all conversations share, made on first use under its name; only for what can be worked out again. */
  shared<Value>(name: string, create: () => Value): Value;
  /** Hears which searches led to which calls: search may rank better for it, and shows nothing else for it. */
  readonly searchMemory: SearchMemory;
}

/** The contract of an AI client: where it keeps its MCP servers, and how it writes them down. */
import type { JsonObject } from '../model/json.ts';
import type { Format } from './format/format.ts';

/** Where programs keep their files on this machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** The person's home directory. */
  readonly userHome: string;
}

/** All that decides where a client's file is. */
export interface Places {
  readonly machine: Machine;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Where in a document the servers stand: members by name, or a list whose items say their name. */
export interface ServerShelf {
  readonly path: readonly string[];
  readonly kind: 'record' | 'list';
}

/** A server in our own form, or why it has none. */
export interface ReadServer {
  /** As an entry of our `mcpServers`; undefined when it cannot be used outside its client. */
  readonly entry: JsonObject | undefined;
  readonly enabled: boolean;
  /** Members of the client's entry that ours has no place for; names only. */
  readonly leftOut?: readonly string[];
  /** Why there is no entry, as the end of a sentence that begins with its name. */
  readonly problem?: string;
}

/** A change of one member of a server's entry; no value removes it. */
export interface MemberEdit {
  readonly path: readonly string[];
  readonly value: string | boolean | undefined;
}

/** What can be changed of one server where it stands. */
export interface ServerChange {
  readonly enabled?: boolean | undefined;
  readonly url?: string | undefined;
  /** Variables by name; an empty text removes one. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** One AI client. */
export interface Client {
  readonly key: string;
  /** As its makers call it. */
  readonly title: string;
  /** Whether its file is the person's or belongs to the directory one stands in. */
  readonly scope: 'user' | 'project';
  readonly shelf: ServerShelf;
  /** Absolute; the first that exists is used, and the first of all where none does. */
  files(places: Places): readonly string[];
  /** Directories that are there when the client is, whether or not it has a file. */
  traces(places: Places): readonly string[];
  loadFormat(): Promise<Format>;
  read(native: JsonObject): ReadServer;
  /** What else of its document a person should know, in one line; names only. */
  remark?(document: JsonObject): string | undefined;
  /** An entry of ours as this client writes it. */
  write(name: string, entry: JsonObject): JsonObject;
  /** What to change in an entry; undefined when this client has no way to say it. */
  toMemberEdits(native: JsonObject, change: ServerChange): readonly MemberEdit[] | undefined;
}

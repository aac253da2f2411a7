/** What exists: every known manifest as one immutable snapshot, and the way from an entry to its upstream. */
import type { Unsubscribe } from '../events/feed.ts';
import type { CallContext } from '../model/call.ts';
import type { UpstreamId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Kind, Manifest } from '../model/manifest.ts';
import type { Definition, ServerHello } from '../model/mcp.ts';
import type { RenameReason } from './naming.ts';
import type { SearchExplanation } from './search/search.ts';
import type { SearchMemory } from './search-memory.ts';
import type { TaskOwners } from './task-owners.ts';

/** One tool, resource, template or prompt. */
export interface Entry {
  readonly kind: Kind;
  readonly upstream: UpstreamId;
  /** The tags of its upstream. */
  readonly tags: readonly string[];
  /** What its upstream calls it: a name, a URI or a URI template. */
  readonly name: string;
  /** What clients call it. */
  readonly publicName: string;
  /** The definition as clients see it. */
  readonly definition: Definition;
  /** True for a tool that the configuration switches off: it keeps its name, and nobody may use it. */
  readonly switchedOff: boolean;
  /** Why its own name is not shown, when it is not. */
  readonly renamed: RenameReason | undefined;
  /** Changes when anything in the definition does. */
  readonly fingerprint: string;
}

/** One upstream's part in a snapshot. */
export interface Source {
  readonly upstream: UpstreamId;
  /** The name people gave it. */
  readonly title: string;
  readonly tags: readonly string[];
  /** True for a server of our own that everybody has. */
  readonly core: boolean;
  /** True for a server that is rarely needed. */
  readonly aside?: boolean | undefined;
  /** Tools of it that are switched off, by its own names. */
  readonly disabledTools?: readonly string[] | undefined;
  readonly manifest: Manifest;
}

/** Which upstream answers for a URI, and what it calls it. */
export interface UriOwner {
  readonly upstream: UpstreamId;
  readonly uri: string;
}

/** Everything known at one moment; a change makes a new one. */
export interface Snapshot {
  readonly sources: readonly Source[];
  /** Entries of a kind, sorted by upstream and name. */
  list(kind: Kind): readonly Entry[];
  find(kind: Kind, publicName: string): Entry | undefined;
  /** Finds an entry by its upstream and what that calls it. */
  locate(kind: Kind, upstream: string, name: string): Entry | undefined;
  /** Every entry that its upstream calls so. */
  named(kind: Kind, name: string): readonly Entry[];
  /** Finds who answers for a URI, listed or made from a template; undefined when nobody plainly does. */
  ownerOf(uri: string): UriOwner | undefined;
  /** Replaces clashing URIs in what an upstream sent by their public form. */
  toPublicUris(upstream: UpstreamId, value: JsonObject): JsonObject;
  hello(upstream: UpstreamId): ServerHello | undefined;
  /** What somebody works out of the snapshot alone: made once under its owner and a name, and gone with the snapshot. */
  derived<T>(owner: object, name: string, make: () => T): T;
}

/** A configured upstream nothing is known of yet. */
export type Unmet = Pick<Source, 'upstream' | 'title' | 'tags'>;

/** What narrows a search. */
export interface CatalogSearchOptions {
  readonly limit: number;
  /** Who may be found; asked before the limit is applied. */
  readonly where: (entry: Entry) => boolean;
  /** Whose past calls count: see learning. */
  readonly caller: string;
}

/** A found tool, best first. */
export interface FoundEntry {
  readonly entry: Entry;
  readonly score: number;
  /** What its score is made of; absent when it was not ranked but named. */
  readonly explain?: () => SearchExplanation;
}

/** Whether an upstream can be used now, and if not, why and what to do. */
export interface Standing {
  readonly usable: boolean;
  readonly state: string;
  /** What a caller should know; empty when all is well. */
  readonly advice: string;
  /** How it is reached: stdio, http and the like. */
  readonly transport: string;
}

/** Follows every upstream, keeps the newest snapshot, forwards a request to where it belongs. */
export interface Catalog {
  readonly current: Snapshot;
  /** One upstream alone, with its own names; undefined when it is not configured. */
  only(upstream: UpstreamId): Snapshot | undefined;
  /** Forwards a request to an upstream. */
  request(upstream: UpstreamId, method: string, params: JsonObject, call: CallContext): Promise<JsonObject>;
  /** Forwards a client's notification to an upstream. */
  notify(upstream: UpstreamId, method: string, params: JsonObject, call: CallContext): Promise<void>;
  /** Watches a resource of an upstream; its updates come as notifications. */
  watch(upstream: UpstreamId, uri: string, call: CallContext): Promise<Unsubscribe>;
  /** Told when the rules for names have changed. */
  renamed(): void;
  /** Ranks the tools of the current snapshot for a query; loaded on first use. */
  search(query: string, options: CatalogSearchOptions): Promise<readonly FoundEntry[]>;
  /** Resolves when word meanings have been worked out, so that further searches rank as they will from then on. */
  searchReady(): Promise<void>;
  /** Hears which searches led to which calls. */
  readonly searchMemory: SearchMemory;
  /** Configured upstreams nothing is known of yet, sorted by id. */
  unmet(): readonly Unmet[];
  /** How an upstream stands at this moment; never decides what is shown, only how it is marked. */
  standing(upstream: UpstreamId): Standing;
  /** Which upstream runs which task. */
  readonly tasks: TaskOwners;
  /** Called for notifications of upstreams that belong to no running request. */
  onNotification(listener: (upstream: UpstreamId, method: string, params: JsonObject) => void): Unsubscribe;
  /** True while an upstream never heard of before is still given a moment to answer. */
  readonly settling: boolean;
  /** Resolves when every upstream has been heard of once, or the moment is over. */
  settled(): Promise<void>;
  /** Called after `current` was replaced; storms are coalesced. */
  onChange(listener: () => void): Unsubscribe;
}

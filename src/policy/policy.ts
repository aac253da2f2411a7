/** The contract of a policy, and of the view that policies leave a caller: the only handle a mode is given. */
import type { Entry, FoundEntry, Source, Standing, Unmet } from '../catalog/catalog.ts';
import type { GatewayError } from '../errors/gateway-error.ts';
import type { CallContext } from '../model/call.ts';
import type { UpstreamId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Kind } from '../model/manifest.ts';

/** One use of an entry on its way to the upstream. */
export interface EntryCall {
  readonly entry: Entry;
  /** The whole `params` of the request, as the client wrote them. */
  readonly params: JsonObject;
  readonly context: CallContext;
}

/** What comes after a policy. */
export type Next = (call: EntryCall) => Promise<JsonObject>;

/** Who a policy decides for, and all it can decide by: what it leaves of a snapshot is worked out once for those alike. */
export type Who = Pick<CallContext, 'principal' | 'profile'>;

/**
 * One rule: `sees` decides what exists for a caller, `refuses` what exists and is shown nowhere, with the answer to
 * whoever uses it all the same, and `around` wraps a call to what is left.
 */
export interface Policy {
  readonly name: string;
  sees?(entry: Entry, who: Who): boolean;
  refuses?(entry: Entry, who: Who): GatewayError | undefined;
  around?(call: EntryCall, next: Next): Promise<JsonObject>;
}

/** Ways to an entry by one of its names. */
export interface EntryNames {
  list(kind: Kind): readonly Entry[];
  find(kind: Kind, publicName: string): Entry | undefined;
  /** Finds an entry by its upstream's id and what that calls it. */
  locate(kind: Kind, upstream: string, name: string): Entry | undefined;
  /** Every entry that its upstream calls so. */
  named(kind: Kind, name: string): readonly Entry[];
}

/** The catalogue as one caller may see and use it. */
export interface CatalogView extends EntryNames {
  /** What exists for the caller and is refused: never shown, but who names it is told why by `use`. */
  readonly refused: EntryNames;
  /** Ranks the visible tools for a query. */
  search(query: string, options: ViewSearchOptions): Promise<readonly FoundEntry[]>;
  /** Who is asking, as far as learning from past calls goes. */
  readonly caller: string;
  /** What the client calls itself. */
  readonly client: string;
  /** How many tools are visible, of one upstream or of all. */
  count(upstream?: string): number;
  /** The visible tools of one upstream, in the order of the list. */
  toolsOf(upstream: string): readonly Entry[];
  /** The visible upstreams, sorted by id. */
  upstreams(): readonly Source[];
  /** Visible upstreams nothing is known of yet: they have no tools to show, but a state to tell. */
  unmet(): readonly Unmet[];
  standing(upstream: UpstreamId): Standing;
  /** Calls a tool or gets a prompt by its public name; what is not seen is not found. */
  use(kind: 'tool' | 'prompt', publicName: string, params: JsonObject): Promise<JsonObject>;
  /** Reads a resource, listed or made from a template. */
  read(uri: string, params: JsonObject): Promise<JsonObject>;
  /** Reads a resource by its upstream's id and the URI that knows it by. */
  readAt(upstream: string, uri: string, params: JsonObject): Promise<JsonObject>;
  /** Completes an argument of a prompt or a template. */
  complete(params: JsonObject): Promise<JsonObject>;
  /** Watches a resource for changes. */
  watch(uri: string): Promise<WatchedResource>;
  /** The upstream that alone is seen here, when there is just one: it gets whatever else the client says. */
  readonly only: UpstreamId | undefined;
  /** Sends a request of a kind the gateway does not know to the upstream that alone is seen. */
  forward(method: string, params: JsonObject): Promise<JsonObject>;
}

/** What narrows a search of what is visible. */
export interface ViewSearchOptions {
  readonly limit: number;
  readonly server?: string | undefined;
}

/** A resource being watched. */
export interface WatchedResource {
  readonly upstream: UpstreamId;
  /** What the upstream calls it. */
  readonly uri: string;
  stop(): void;
}

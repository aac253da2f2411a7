/** The contracts of the upstream layer: a configured server, a way to reach one kind of server, a live link. */
import type * as z from 'zod';
import type { Unsubscribe } from '../events/feed.ts';
import type { CancelSignal } from '../lib/cancel.ts';
import type { Clock } from '../lib/clock.ts';
import type { CallContext } from '../model/call.ts';
import type { UpstreamId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Manifest } from '../model/manifest.ts';
import type { Era, ServerHello } from '../model/mcp.ts';
import type { Channel, CloseReason } from '../wire/channel.ts';
import type { Credentials, ProtectedResource } from './credentials/credentials.ts';
import type { UpstreamLimits } from './limits.ts';
import type { ProcessGroups } from './process-groups.ts';

/** One configured server, as the configuration states it: references are not resolved yet. */
export interface UpstreamConfig {
  readonly id: UpstreamId;
  /** The name people gave it. */
  readonly name: string;
  /** Which connector reaches it. */
  readonly kind: string;
  /** The connector's own options; text in them may hold references such as `${env:TOKEN}`. */
  readonly options: JsonObject;
  readonly tags: readonly string[];
  readonly enabled: boolean;
  /** How long a call may stay silent. */
  readonly timeoutMs: number;
  /** How long it may take to start and greet us. */
  readonly startTimeoutMs: number;
  /** Which era to speak; undefined means to find out. */
  readonly era: Era | undefined;
  /** Who shares one instance when the server asks back: all, each session its own, or nobody is ever asked. */
  readonly interactive: 'shared' | 'per-session' | 'off';
  /** True for a server of our own that everybody has. */
  readonly core?: boolean;
  /** True for a server that is rarely needed: modes that show one tool a server keep it behind the others. */
  readonly aside?: boolean;
  /** Tools of it that nobody is shown or may call, by its own names. */
  readonly disabledTools?: readonly string[];
  /** What it may cost, where that differs from what holds for its kind. */
  readonly limits?: Partial<UpstreamLimits>;
}

/** What a channel saw beside messages; shown in status, never in results. */
export interface LinkNotes {
  /** Lines on stdout that were no message, and answers nobody waited for. */
  readonly badLines: number;
  /** The last lines of stderr. */
  readonly stderr: readonly string[];
  readonly pid: number | undefined;
}

/** A channel to one server that was just started or dialled. */
export interface Link {
  readonly channel: Channel;
  notes(): LinkNotes;
}

/** What a connector may use of the gateway. */
export interface ConnectorPorts {
  /** Aborts when the attempt is given up or the gateway stops. */
  readonly signal: AbortSignal;
  /** The few variables of our own environment that every child may see. */
  readonly baseEnv: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** What references in the options stand for: nothing the server says may repeat it. */
  readonly secrets?: readonly string[] | undefined;
  /** For servers that ask for a login; absent where none is possible. */
  readonly credentials?: Credentials | undefined;
  /** Told of every program that is started and has ended, by the pid of its group's leader; ends what is left of one. */
  readonly processes?: Pick<ProcessGroups, 'started' | 'ended' | 'endStrays'>;
}

/** How to reach one kind of server. */
export interface Connector {
  readonly kind: string;
  readonly summary: string;
  /** The options people may write for this kind. */
  readonly options: z.ZodObject;
  /** True when this connector is meant by options that do not name a kind. */
  recognises(options: JsonObject): boolean;
  /** True when it starts a program: such are counted, ended when nobody uses them, and measured. */
  readonly spawns?: boolean;
  /** What a login to such a server is for; absent or undefined where none is possible. */
  readonly resource?: (options: JsonObject) => ProtectedResource | undefined;
  /** Starts or dials one server; the handshake is done by whoever holds the link. */
  open(options: JsonObject, ports: ConnectorPorts): Promise<Link>;
}

/** Further headers of one request. */
export type Headers = Readonly<Record<string, string>>;

/** A greeted server: requests go out, news comes in. Knows the wire; knows nothing of retries. */
export interface Connection extends AsyncDisposable {
  readonly hello: ServerHello;
  /** Resolves once, for whatever reason the link ended. */
  readonly closed: Promise<CloseReason>;
  notes(): LinkNotes;
  /** Sends a request; `headers` are for carriers that have such. */
  request(method: string, params: JsonObject, call: CallContext, headers?: Headers): Promise<JsonObject>;
  notify(method: string, params: JsonObject): void;
  /** Has a modern server tell of changes until the signal aborts; resolves with what it agreed to, rejects when it refuses. */
  listen(notifications: JsonObject, signal: CancelSignal): Promise<JsonObject>;
  /** Notifications that belong to no running request. */
  onNotification(listener: (method: string, params: JsonObject) => void): Unsubscribe;
}

/** Where an upstream stands; what each state means is told by the table in states.ts. */
export type UpstreamState =
  | { readonly is: 'awaiting_config'; readonly missing: string }
  | { readonly is: 'idle' }
  | { readonly is: 'connecting'; readonly since: number }
  | { readonly is: 'discovering'; readonly since: number }
  | { readonly is: 'online'; readonly since: number }
  | { readonly is: 'restarting'; readonly reason: string; readonly retryAt: number }
  | { readonly is: 'offline'; readonly reason: string; readonly retryAt: number }
  /** It answers, but not as it should; without `retryAt` only a person can change that. */
  | { readonly is: 'error'; readonly reason: string; readonly retryAt: number | undefined }
  | { readonly is: 'needs_auth'; readonly reason: string }
  | { readonly is: 'failed'; readonly reason: string; readonly retryAt: number }
  | { readonly is: 'disabled' };

/** What there is to know of a running upstream, for people. */
export interface UpstreamStatus {
  readonly state: UpstreamState;
  /** How it stands and what comes next, as the end of a sentence that begins with its name. */
  readonly says: string;
  readonly pid: number | undefined;
  /** For how long its link has been open; undefined while it is not. */
  readonly uptimeMs: number | undefined;
  /** How many requests it was sent, how many of them run, and how many wait for a place. */
  readonly calls: number;
  readonly running: number;
  readonly queued: number;
  /** How often it had to be started anew. */
  readonly restarts: number;
  /** The resident memory of its program and all that program started; undefined where there is none. */
  readonly memoryBytes: number | undefined;
  /** What went wrong last, and how long ago. */
  readonly lastError: { readonly message: string; readonly agoMs: number } | undefined;
  /** The last lines of stderr, of the run before too. */
  readonly stderr: readonly string[];
  /** Lines that were no message, and answers nobody waited for. */
  readonly badLines: number;
  /** How many instances single clients have of their own, beside the shared one. */
  readonly scopes: number;
}

/** One configured server under supervision. */
export interface Upstream extends AsyncDisposable {
  readonly config: UpstreamConfig;
  readonly state: UpstreamState;
  /** What it offers, as last seen; undefined before the first contact ever. */
  readonly manifest: Manifest | undefined;
  /** Resolves when the manifest is known or the first attempt to learn it has failed; never rejects. */
  readonly firstContact: Promise<void>;
  notes(): LinkNotes;
  status(): Promise<UpstreamStatus>;
  /** Ends its link and opens another, whatever state it is in; resolves when that is done or has failed. */
  restart(reason: string): Promise<void>;
  /** Sends a request, starting the server if need be. */
  request(method: string, params: JsonObject, call: CallContext): Promise<JsonObject>;
  /** Watches a resource; its updates come as notifications until the returned function is called. */
  watch(uri: string, call: CallContext): Promise<Unsubscribe>;
  /** Sends a notification of a client on. */
  notify(method: string, params: JsonObject, call: CallContext): Promise<void>;
}

/** All configured servers. */
export interface Upstreams extends AsyncDisposable {
  readonly all: readonly Upstream[];
  get(id: UpstreamId): Upstream | undefined;
  /** Makes the set equal to the configuration; what did not change is left running. */
  apply(configs: readonly UpstreamConfig[]): Promise<void>;
  /** Called when a manifest was learnt or changed, or the set of servers did. */
  onManifests(listener: () => void): Unsubscribe;
  /** Called for notifications of servers that belong to no running request. */
  onNotification(listener: (upstream: UpstreamId, method: string, params: JsonObject) => void): Unsubscribe;
}

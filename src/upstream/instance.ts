/** One live link to a configured server for one resolved configuration: started by the first call, kept in step. */
import type { Feed, Unsubscribe } from '../events/feed.ts';
import type { CancelTimer, Clock } from '../lib/clock.ts';
import type { CallContext } from '../model/call.ts';
import type { JsonObject } from '../model/json.ts';
import { ALL_KINDS, KINDS } from '../model/kinds.ts';
import type { Manifest } from '../model/manifest.ts';
import type { Implementation } from '../model/mcp.ts';
import type { ManifestStore, Remembered } from '../store/store.ts';
import { isUnsent } from '../wire/unsent.ts';
import { openConnection } from './connection.ts';
import type { Credentials } from './credentials/credentials.ts';
import { createLoginWatch, type LoginWatch } from './credentials/login-watch.ts';
import { createDeferred } from './deferred.ts';
import type { Gate } from './gate.ts';
import { toParamHeaders } from './http/param-headers.ts';
import { ManifestKeeper } from './manifest-keeper.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import { createTurns, type Turns } from './turns.ts';
import type { Connection, Connector, Headers, LinkNotes, Upstream, UpstreamConfig } from './upstream.ts';
import { createWatches } from './watches.ts';

/** What an instance is made of. */
export interface InstanceOptions {
  readonly config: UpstreamConfig;
  /** The digest of the resolved configuration, under which the manifest is kept. */
  readonly key: string;
  readonly connector: Connector;
  /** The connector's options with every reference resolved. */
  readonly resolved: JsonObject;
  /** What an earlier run learnt; undefined when the server was never tried. */
  readonly stored: Remembered | undefined;
  readonly manifests: ManifestStore;
  readonly baseEnv: Readonly<Record<string, string>>;
  /** For servers that ask for a login; undefined where none is possible. */
  readonly credentials?: Credentials | undefined;
  readonly self: Implementation;
  /** What we declare to be able to answer. */
  readonly declares: JsonObject;
  /** Answers questions of no particular call; only where the instance is one client's own. */
  readonly fallback?: () => CallContext | undefined;
  /** What has to be over before the server may be started. */
  readonly after?: Promise<unknown>;
  readonly gate: Gate;
  readonly feed: Feed;
  readonly clock: Clock;
  onManifest(): void;
  onNotification(method: string, params: JsonObject): void;
}

/** A server that never answered in an earlier run is tried again in the background, not while a start is awaited. */
const SECOND_TRY_MS = 10_000;
const CHANGED: ReadonlySet<string> = new Set(ALL_KINDS.map((kind) => KINDS[kind].changed));
const NO_NOTES: LinkNotes = { badLines: 0, stderr: [], pid: undefined };

/** Creates an instance; a server whose manifest is unknown is contacted in the background. */
export function createInstance(options: InstanceOptions): Upstream {
  return new Instance(options);
}

class Instance implements Upstream {
  readonly config: UpstreamConfig;
  readonly #options: InstanceOptions;
  readonly #supervisor: Supervisor;
  readonly #logins: LoginWatch;
  readonly #manifest: ManifestKeeper;
  readonly #contacted = createDeferred<void>();
  readonly #stopping = new AbortController();
  readonly #turns: Turns;
  readonly #watches = createWatches(this.#stopping.signal, () => this.#live);
  #live: Connection | undefined;
  #notes: (() => LinkNotes) | undefined;
  #cancelSecondTry: CancelTimer | undefined;

  constructor(options: InstanceOptions) {
    const { config, clock, stored, credentials } = options;
    this.config = config;
    this.#turns = createTurns(clock, config.name);
    this.#options = options;
    this.#manifest = new ManifestKeeper({
      initial: stored?.manifest,
      clock,
      stopping: this.#stopping.signal,
      onChange: (manifest) => this.#keep(manifest),
      onRemark: (remark) => this.#publishState(this.state.is, remark),
    });
    this.#logins = createLoginWatch({ credentials, clock, onLogin: () => this.#contact() });
    this.#supervisor = createSupervisor({
      name: config.name,
      startTimeoutMs: config.startTimeoutMs,
      clock,
      random: Math.random,
      connect: (signal) => this.#connect(signal),
      welcome: (connection, signal) => this.#welcome(connection, signal),
      onState: (state) => {
        this.#logins.follow(state.is);
        this.#publishState(state.is, 'reason' in state ? state.reason : '');
      },
      onDue: () => this.#contact(),
    });
    if (stored) this.#contacted.resolve();
    else this.#meet();
    if (stored && !stored.manifest) this.#cancelSecondTry = clock.after(SECOND_TRY_MS, () => this.#contact());
  }

  get state(): Upstream['state'] {
    return this.#supervisor.state;
  }

  get manifest(): Manifest | undefined {
    return this.#manifest.current;
  }

  get firstContact(): Promise<void> {
    return this.#contacted.promise;
  }

  notes(): LinkNotes {
    return this.#notes?.() ?? NO_NOTES;
  }

  async request(method: string, params: JsonObject, call: CallContext): Promise<JsonObject> {
    // Everyone is counted, so that those already running are known the moment the server first asks.
    const leave = this.manifest?.traits?.asks
      ? await this.#turns.enter(call.conversation, call.signal)
      : this.#turns.join(call.conversation);
    try {
      return await this.#send(method, params, call);
    } finally {
      leave();
    }
  }

  async watch(uri: string, call: CallContext): Promise<Unsubscribe> {
    await this.#watches.add(uri, await this.#supervisor.connection(call.signal));
    return () => this.#watches.remove(uri, this.#live);
  }

  async notify(method: string, params: JsonObject, call: CallContext): Promise<void> {
    (await this.#supervisor.connection(call.signal)).notify(method, params);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    this.#cancelSecondTry?.();
    this.#logins.stop();
    this.#contacted.resolve();
    await this.#supervisor.stop();
  }

  async #send(method: string, params: JsonObject, call: CallContext): Promise<JsonObject> {
    // Whoever has just logged in is not made to wait for the next background attempt.
    if (this.state.is === 'needs_auth' && (await this.#logins.look())) await this.#supervisor.attempt();
    const connection = await this.#supervisor.connection(call.signal);
    try {
      return await connection.request(method, params, call, this.#headersFor(connection, method, params));
    } catch (error) {
      // Only what never reached the server may be sent again: nobody knows what a lost call has done.
      if (!isUnsent(error) || call.signal.aborted) throw error;
      await connection.closed;
      const next = await this.#supervisor.connection(call.signal);
      return next.request(method, params, call, this.#headersFor(next, method, params));
    }
  }

  #headersFor(connection: Connection, method: string, params: JsonObject): Headers | undefined {
    if (method !== 'tools/call' || connection.hello.era !== 'modern') return undefined;
    return toParamHeaders(this.#manifest.tool(params['name']), params['arguments']);
  }

  #meet(): void {
    const { config, key, manifests } = this.#options;
    manifests.saveAttempt(key, config.id).catch((error: unknown) => this.#publishFault('remembering', error));
    this.#contact();
  }

  #contact(): void {
    void this.#options.gate.run(async () => {
      await this.#supervisor.attempt();
      this.#contacted.resolve();
    });
  }

  async #connect(signal: AbortSignal): Promise<Connection> {
    const { config, connector, resolved, self, declares, fallback, after } = this.#options;
    const { baseEnv, clock, credentials } = this.#options;
    await after;
    return openConnection({
      name: config.name,
      open: (linkSignal) => connector.open(resolved, { signal: linkSignal, baseEnv, clock, credentials }),
      era: config.era,
      hint: this.manifest?.hello.era,
      timeoutMs: config.timeoutMs,
      self,
      declares,
      clock,
      signal,
      ...(fallback && { fallback }),
      onQuestion: (method, attributed) => this.#learn(method, attributed),
      onLink: (notes) => {
        this.#notes = notes;
      },
    });
  }

  async #welcome(connection: Connection, signal: AbortSignal): Promise<void> {
    this.#live = connection;
    connection.onNotification((method, params) => {
      if (CHANGED.has(method)) this.#manifest.refreshSoon(connection);
      else this.#options.onNotification(method, params);
    });
    void connection.closed.then(() => {
      if (this.#live === connection) this.#live = undefined;
      this.#publishNoise();
    });
    await this.#manifest.welcome(connection, signal);
    this.#watches.renew(connection);
  }

  /** Remembers that the server asks, so that from now on its questions find the right client. */
  #learn(method: string, attributed: boolean): void {
    const { asks, asksRoots } = this.manifest?.traits ?? {};
    if (method === 'roots/list' && !asksRoots) void this.#manifest.learn({ asksRoots: true });
    if (!attributed && !asks) void this.#manifest.learn({ asks: true });
  }

  async #keep(manifest: Manifest): Promise<void> {
    const { config, key, manifests, feed, onManifest } = this.#options;
    feed.publish({
      type: 'upstream.manifest',
      upstream: config.id,
      tools: manifest.lists.tool.length,
      changed: true,
    });
    onManifest();
    await manifests
      .save(key, config.id, manifest)
      .catch((error: unknown) => this.#publishFault('keeping the manifest of', error));
  }

  #publishFault(doing: string, error: unknown): void {
    this.#options.feed.publish({ type: 'fault', where: `${doing} ${this.config.name}`, error });
  }

  #publishState(state: string, detail: string): void {
    this.#options.feed.publish({ type: 'upstream.state', upstream: this.config.id, state, detail });
  }

  #publishNoise(): void {
    const { badLines } = this.notes();
    if (badLines > 0)
      this.#options.feed.publish({ type: 'upstream.noise', upstream: this.config.id, badLines });
  }
}

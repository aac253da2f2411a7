/** One configured server under supervision: started by the first call, its manifest kept in step. */
import { toMessage } from '../errors/from-unknown.ts';
import { GatewayError, RpcError } from '../errors/gateway-error.ts';
import type { Feed } from '../events/feed.ts';
import type { CancelTimer, Clock } from '../lib/clock.ts';
import type { CallContext } from '../model/call.ts';
import { type JsonObject, type JsonValue, toCanonicalJson } from '../model/json.ts';
import { ALL_KINDS, KINDS } from '../model/kinds.ts';
import type { Manifest } from '../model/manifest.ts';
import { type Definition, type Implementation, MODERN_REVISION } from '../model/mcp.ts';
import { LOCAL_PRINCIPAL } from '../model/principal.ts';
import type { ManifestStore, Remembered } from '../store/store.ts';
import { isUnsent } from '../wire/unsent.ts';
import { openConnection } from './connection.ts';
import { createDeferred } from './deferred.ts';
import type { Gate } from './gate.ts';
import { toParamHeaders } from './http/param-headers.ts';
import { readManifest } from './manifest.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import type { Connection, Connector, Headers, LinkNotes, Upstream, UpstreamConfig } from './upstream.ts';

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
  readonly self: Implementation;
  readonly gate: Gate;
  readonly feed: Feed;
  readonly clock: Clock;
  onManifest(): void;
  onNotification(method: string, params: JsonObject): void;
}

/** A server that never answered in an earlier run is tried again in the background, not while a start is awaited. */
const SECOND_TRY_MS = 10_000;
/** How long changes of lists are gathered before the lists are read again. */
const COALESCE_MS = 250;
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
  readonly #contacted = createDeferred<void>();
  readonly #stopping = new AbortController();
  #toolsByName: ReadonlyMap<unknown, Definition> | undefined;
  #manifest: Manifest | undefined;
  #notes: () => LinkNotes = () => NO_NOTES;
  #cancelRefresh: CancelTimer | undefined;
  #cancelSecondTry: CancelTimer | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(options: InstanceOptions) {
    const { config, clock } = options;
    this.config = config;
    this.#options = options;
    this.#manifest = options.stored?.manifest;
    this.#supervisor = createSupervisor({
      name: config.name,
      startTimeoutMs: config.startTimeoutMs,
      clock,
      random: Math.random,
      connect: (signal) => this.#connect(signal),
      welcome: (connection, signal) => this.#welcome(connection, signal),
      onState: (state) => this.#publishState(state.is, 'reason' in state ? state.reason : ''),
      onDue: () => this.#contact(),
    });
    if (options.stored) this.#contacted.resolve();
    else this.#meet();
    if (options.stored && !this.#manifest)
      this.#cancelSecondTry = clock.after(SECOND_TRY_MS, () => this.#contact());
  }

  get state(): Upstream['state'] {
    return this.#supervisor.state;
  }

  get manifest(): Manifest | undefined {
    return this.#manifest;
  }

  get firstContact(): Promise<void> {
    return this.#contacted.promise;
  }

  notes(): LinkNotes {
    return this.#notes();
  }

  async request(method: string, params: JsonObject, call: CallContext): Promise<JsonObject> {
    const connection = await this.#supervisor.connection(call.signal);
    try {
      return await this.#send(connection, method, params, call);
    } catch (error) {
      // Only what never reached the server may be sent again: nobody knows what a lost call has done.
      if (!isUnsent(error) || call.signal.aborted) throw error;
      await connection.closed;
      return this.#send(await this.#supervisor.connection(call.signal), method, params, call);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    this.#cancelRefresh?.();
    this.#cancelSecondTry?.();
    this.#contacted.resolve();
    await this.#supervisor.stop();
  }

  #send(connection: Connection, method: string, params: JsonObject, call: CallContext): Promise<JsonObject> {
    return connection.request(method, params, call, this.#headersFor(connection, method, params));
  }

  #headersFor(connection: Connection, method: string, params: JsonObject): Headers | undefined {
    if (method !== 'tools/call' || connection.hello.era !== 'modern') return undefined;
    this.#toolsByName ??= new Map(this.#manifest?.lists.tool.map((tool) => [tool['name'], tool]));
    return toParamHeaders(this.#toolsByName.get(params['name']), params['arguments']);
  }

  #meet(): void {
    const { config, key, manifests, feed } = this.#options;
    manifests
      .saveAttempt(key, config.id)
      .catch((error: unknown) => feed.publish({ type: 'fault', where: `remembering ${config.name}`, error }));
    this.#contact();
  }

  #contact(): void {
    void this.#options.gate.run(async () => {
      await this.#supervisor.attempt();
      this.#contacted.resolve();
    });
  }

  #connect(signal: AbortSignal): Promise<Connection> {
    const { config, connector, resolved, baseEnv, clock, self } = this.#options;
    return openConnection({
      name: config.name,
      open: (linkSignal) => connector.open(resolved, { signal: linkSignal, baseEnv, clock }),
      era: config.era,
      hint: this.#manifest?.hello.era,
      timeoutMs: config.timeoutMs,
      self,
      clock,
      signal,
      onLink: (notes) => {
        this.#notes = notes;
      },
    });
  }

  async #welcome(connection: Connection, signal: AbortSignal): Promise<void> {
    connection.onNotification((method, params) => {
      if (CHANGED.has(method)) this.#refreshSoon(connection);
      else this.#options.onNotification(method, params);
    });
    void connection.closed.then(() => this.#publishNoise());
    if (this.#manifest !== undefined) {
      this.#refreshQuietly(connection);
      return;
    }
    try {
      await this.#refresh(connection, signal);
    } catch (error) {
      throw toListingError(error, this.config.name);
    }
  }

  #refreshSoon(connection: Connection): void {
    if (this.#cancelRefresh || this.#stopping.signal.aborted) return;
    this.#cancelRefresh = this.#options.clock.after(COALESCE_MS, () => {
      this.#cancelRefresh = undefined;
      this.#refreshQuietly(connection);
    });
  }

  #refreshQuietly(connection: Connection): void {
    // One reading after the other, so that an older answer never replaces a newer one.
    this.#reading = this.#reading.then(async () => {
      try {
        await this.#refresh(connection, this.#stopping.signal);
      } catch (error) {
        // The last known lists stay: a server that cannot list now has not thereby lost its tools.
        this.#publishState(this.state.is, `its lists could not be read again: ${toMessage(error)}`);
      }
    });
  }

  async #refresh(connection: Connection, signal: AbortSignal): Promise<void> {
    const { manifest, remarks } = await readManifest(connection, toOwnCall(signal));
    for (const remark of remarks) this.#publishState(this.state.is, remark);
    if (signal.aborted || isSame(manifest, this.#manifest)) return;
    this.#manifest = manifest;
    this.#toolsByName = undefined;
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
      .catch((error: unknown) =>
        feed.publish({ type: 'fault', where: `keeping the manifest of ${config.name}`, error }),
      );
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

function isSame(one: Manifest, other: Manifest | undefined): boolean {
  return toCanonicalJson(one as unknown as JsonValue) === toCanonicalJson(other as unknown as JsonValue);
}

/** A server's own error to our listing must not look like an answer to a client's request. */
function toListingError(error: unknown, name: string): unknown {
  if (!(error instanceof RpcError)) return error;
  return new GatewayError(
    'UPSTREAM_PROTOCOL',
    `${name}: cannot list what it offers: ${error.message} (${error.code})`,
    {
      cause: error,
      data: { upstream: name },
    },
  );
}

/** A request of the gateway itself, on nobody's behalf. */
function toOwnCall(signal: AbortSignal): CallContext {
  return {
    principal: LOCAL_PRINCIPAL,
    profile: undefined,
    facts: { era: 'modern', protocolVersion: MODERN_REVISION, name: 'thimble', info: {}, capabilities: {} },
    signal,
    client: { notify() {} },
  };
}

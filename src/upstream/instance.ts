/** One live link to a configured server for one resolved configuration: started by the first call, kept in step. */

import { GatewayError } from '../errors/gateway-error.ts';
import type { Unsubscribe } from '../events/feed.ts';
import type { CancelTimer } from '../lib/clock.ts';
import type { CallContext } from '../model/call.ts';
import type { JsonObject } from '../model/json.ts';
import { ALL_KINDS, KINDS } from '../model/kinds.ts';
import type { Manifest } from '../model/manifest.ts';
import { type Bulkhead, createBulkhead } from './bulkhead.ts';
import type { Tenant } from './capacity.ts';
import { openConnection } from './connection.ts';
import { createLoginWatch, type LoginWatch } from './credentials/login-watch.ts';
import { createFirstContact, type FirstContact } from './first-contact.ts';
import { createInstanceNews, type InstanceNews } from './instance-news.ts';
import type { InstanceOptions } from './instance-options.ts';
import { createRequests, type SendRequest } from './instance-requests.ts';
import { toLimits, toTimeoutMs, type UpstreamLimits } from './limits.ts';
import { openInstanceLink } from './link-place.ts';
import { ManifestKeeper } from './manifest-keeper.ts';
import { watchMemory } from './memory-watch.ts';
import type { Move } from './states.ts';
import { createStatusBook, type StatusBook } from './status.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import { createTurns, type Turns } from './turns.ts';
import type {
  Connection,
  LinkNotes,
  Upstream,
  UpstreamConfig,
  UpstreamState,
  UpstreamStatus,
} from './upstream.ts';
import { createUsage, type Usage } from './usage.ts';
import { createWatches, type Watches } from './watches.ts';
import { createWishedEnds, type WishedEnds } from './wished-ends.ts';

const CHANGED: ReadonlySet<string> = new Set(ALL_KINDS.map((kind) => KINDS[kind].changed));

/** Creates an instance; a server whose manifest is unknown is contacted in the background. */
export function createInstance(options: InstanceOptions): Upstream {
  return new Instance(options);
}

class Instance implements Upstream, Tenant {
  readonly config: UpstreamConfig;
  readonly #options: InstanceOptions;
  readonly #limits: UpstreamLimits;
  readonly #supervisor: Supervisor;
  readonly #ends: WishedEnds;
  readonly #logins: LoginWatch;
  readonly #manifest: ManifestKeeper;
  readonly #first: FirstContact;
  readonly #stopping = new AbortController();
  readonly #send: SendRequest;
  readonly #bulkhead: Bulkhead;
  readonly #usage: Usage;
  readonly #turns: Turns;
  readonly #book: StatusBook;
  readonly #news: InstanceNews;
  readonly #watches: Watches;
  #endedBefore = false;
  #stopMemoryWatch: CancelTimer | undefined;

  constructor(options: InstanceOptions) {
    const { config, clock, stored, credentials, connector, capacity } = options;
    this.config = config;
    this.#options = options;
    this.#limits = toLimits(config, connector);
    this.#bulkhead = createBulkhead({
      ...this.#limits,
      name: config.name,
      maxWaitMs: config.timeoutMs,
      clock,
    });
    this.#turns = createTurns(clock, config.name);
    this.#watches = createWatches(this.#stopping.signal, config.name);
    this.#book = createStatusBook(clock);
    this.#news = createInstanceNews(options.feed, config);
    this.#usage = createUsage({
      clock,
      idleStopMs: this.#limits.idleStopMs,
      onFree: () => capacity.free(),
      onIdle: () => this.rest(),
    });
    this.#manifest = new ManifestKeeper({
      initial: stored?.manifest,
      clock,
      stopping: this.#stopping.signal,
      onChange: (manifest) => this.#keep(manifest),
      onRemark: (remark) => this.#news.state(this.state.is, remark),
    });
    this.#logins = createLoginWatch({ credentials, clock, onLogin: () => this.#contact() });
    this.#supervisor = createSupervisor({
      name: config.name,
      startTimeoutMs: config.startTimeoutMs,
      clock,
      random: Math.random,
      connect: (signal) => this.#connect(signal),
      welcome: (connection, signal) => this.#welcome(connection, signal),
      onState: (state, move) => this.#follow(state, move),
      onDue: () => this.#contact(),
    });
    this.#ends = createWishedEnds(config.name, this.#supervisor);
    this.#send = createRequests({
      name: config.name,
      supervisor: this.#supervisor,
      ends: this.#ends,
      manifest: this.#manifest,
      logins: this.#logins,
      bulkhead: this.#bulkhead,
      usage: this.#usage,
      turns: this.#turns,
      clock,
    });
    this.#first = createFirstContact({
      options,
      isUnknown: () => this.manifest === undefined,
      contact: () => this.#contact(),
      adopt: (manifest) => this.#adopt(manifest),
      onFault: (doing, error) => this.#news.fault(doing, error),
    });
    this.#first.begin();
  }

  get name(): string {
    return this.config.name;
  }

  get state(): UpstreamState {
    return this.#supervisor.state;
  }

  get isIdle(): boolean {
    return this.state.is === 'online' && this.#usage.running === 0;
  }

  get lastUsedAt(): number {
    return this.#usage.lastAt;
  }

  get manifest(): Manifest | undefined {
    return this.#manifest.current;
  }

  get firstContact(): Promise<void> {
    return this.#first.over;
  }

  notes(): LinkNotes {
    return this.#book.notes;
  }

  status(): Promise<UpstreamStatus> {
    const { meter, clock } = this.#options;
    const parts = { supervisor: this.#supervisor, usage: this.#usage, bulkhead: this.#bulkhead };
    return this.#book.read({ ...parts, meter, clock });
  }

  restart(reason: string): Promise<void> {
    return this.#ends.restart(reason);
  }

  rest(): void {
    if (this.#usage.running === 0) this.#supervisor.rest();
  }

  request(method: string, params: JsonObject, call: CallContext): Promise<JsonObject> {
    return this.#send(method, params, call);
  }

  async watch(uri: string, call: CallContext): Promise<Unsubscribe> {
    // Whoever watches wants to hear of changes: for them the server has to stay.
    const leave = this.#usage.enter();
    try {
      await this.#watches.add(uri, await this.#supervisor.connection(call.signal));
    } catch (error) {
      leave();
      throw error;
    }
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      leave();
      this.#watches.remove(uri, this.#supervisor.live);
    };
  }

  async notify(method: string, params: JsonObject, call: CallContext): Promise<void> {
    (await this.#supervisor.connection(call.signal)).notify(method, params);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    this.#first.stop();
    this.#logins.stop();
    this.#usage.closed();
    this.#stopMemoryWatch?.();
    await this.#supervisor.stop();
  }

  #contact(): void {
    void this.#options.gate.run(async () => {
      await this.#supervisor.attempt();
      this.#first.settle();
    });
  }

  async #connect(signal: AbortSignal): Promise<Connection> {
    const { config, clock, self, declares, fallback, after } = this.#options;
    await after;
    try {
      const connection = await openConnection({
        name: config.name,
        open: (linkSignal) => openInstanceLink(this.#options, this, linkSignal),
        era: config.era,
        hint: this.manifest?.hello.era,
        endedBefore: this.#endedBefore,
        timeoutOf: (method, params) => toTimeoutMs(method, params, config, this.#limits),
        self,
        declares,
        clock,
        signal,
        ...(fallback && { fallback }),
        turns: this.#turns,
        onQuestion: (method, attributed) => this.#learn(method, attributed),
        onLink: (notes) => this.#book.follow(notes),
      });
      this.#endedBefore = false;
      return connection;
    } catch (error) {
      this.#endedBefore = error instanceof GatewayError && error.code === 'UPSTREAM_EXITED';
      throw error;
    }
  }

  async #welcome(connection: Connection, signal: AbortSignal): Promise<void> {
    connection.onNotification((method, params) => {
      if (CHANGED.has(method)) this.#manifest.refreshSoon();
      else this.#options.onNotification(method, params);
    });
    void connection.closed.then(() => this.#news.noise(this.notes().badLines));
    await this.#manifest.welcome(connection, signal);
  }

  #follow(state: UpstreamState, move: Move): void {
    this.#book.heard(state, move);
    this.#logins.follow(state.is);
    this.#stopMemoryWatch?.();
    if (state.is === 'online') {
      if (this.#supervisor.live) this.#watches.renew(this.#supervisor.live);
      this.#usage.opened();
      this.#watchMemory();
    } else this.#usage.closed();
    this.#news.state(state.is, 'reason' in state ? state.reason : '');
  }

  #watchMemory(): void {
    const { meter, clock } = this.#options;
    const { memoryLimitBytes: limitBytes } = this.#limits;
    const { pid: leader } = this.notes();
    if (limitBytes === 0 || leader === undefined) return;
    const onOver = (reason: string) => this.#ends.end(reason);
    this.#stopMemoryWatch = watchMemory({ leader, limitBytes, meter, clock, onOver });
  }

  /** Remembers that the server asks, so that from now on its questions find the right client. */
  #learn(method: string, attributed: boolean): void {
    const { asks, asksRoots } = this.manifest?.traits ?? {};
    if (method === 'roots/list' && !asksRoots) void this.#manifest.learn({ asksRoots: true });
    if (!attributed && !asks) void this.#manifest.learn({ asks: true });
  }

  /** Takes over what another process has read and kept. */
  #adopt(manifest: Manifest): void {
    this.#manifest.adopt(manifest);
    this.#news.manifest(manifest);
    this.#options.onManifest();
  }

  async #keep(manifest: Manifest): Promise<void> {
    const { config, key, manifests, onManifest } = this.#options;
    this.#news.manifest(manifest);
    onManifest();
    await manifests
      .save(key, config.id, manifest)
      .catch((error: unknown) => this.#news.fault('keeping the manifest of', error));
  }
}

/** All configured servers: kept equal to the configuration, contacted with bounded parallelism. */
import type { Feed, Unsubscribe } from '../events/feed.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { toDigest, type UpstreamId } from '../model/ids.ts';
import { type JsonObject, type JsonValue, toCanonicalJson } from '../model/json.ts';
import type { Implementation } from '../model/mcp.ts';
import { VERSION } from '../model/version.ts';
import type { ManifestStore } from '../store/store.ts';
import { createDormant } from './dormant.ts';
import { createGate, type Gate } from './gate.ts';
import { createInstance } from './instance.ts';
import type { Connector, Upstream, UpstreamConfig, Upstreams } from './upstream.ts';

/** Options with every reference resolved, or what could not be. */
type ResolvedOptions =
  | { readonly ok: true; readonly options: JsonObject }
  | { readonly ok: false; readonly missing: readonly string[] };

/** What the layer is built from. */
export interface UpstreamsOptions {
  readonly connectors: readonly Connector[];
  readonly manifests: ManifestStore;
  /** Resolves the references in a server's options. */
  readonly resolve: (options: JsonObject) => ResolvedOptions;
  readonly baseEnv: Readonly<Record<string, string>>;
  readonly feed: Feed;
  readonly clock?: Clock;
  /** How many servers are contacted at once in the background. */
  readonly parallel?: number;
  /** How we introduce ourselves to servers. */
  readonly self?: Implementation;
}

type NotificationListener = (upstream: UpstreamId, method: string, params: JsonObject) => void;

/** One server with what it was made from. */
interface Entry {
  readonly fingerprint: string;
  readonly key: string;
  readonly upstream: Upstream;
}

/** Creates the layer; it is empty until a configuration is applied. */
export function createUpstreams(options: UpstreamsOptions): Upstreams {
  return new UpstreamSet(options);
}

class UpstreamSet implements Upstreams {
  readonly #options: UpstreamsOptions;
  readonly #gate: Gate;
  readonly #manifestListeners = new Set<() => void>();
  readonly #notificationListeners = new Set<NotificationListener>();
  #entries: ReadonlyMap<UpstreamId, Entry> = new Map();
  #applying: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: UpstreamsOptions) {
    this.#options = options;
    this.#gate = createGate(options.parallel ?? 8);
  }

  get all(): readonly Upstream[] {
    return [...this.#entries.values()].map(({ upstream }) => upstream);
  }

  get(id: UpstreamId): Upstream | undefined {
    return this.#entries.get(id)?.upstream;
  }

  apply(configs: readonly UpstreamConfig[]): Promise<void> {
    // One after the other: two changes at once could start a server twice.
    const applied = this.#applying.then(() => this.#apply(configs));
    this.#applying = applied.catch(() => {});
    return applied;
  }

  onManifests(listener: () => void): Unsubscribe {
    this.#manifestListeners.add(listener);
    return () => this.#manifestListeners.delete(listener);
  }

  onNotification(listener: NotificationListener): Unsubscribe {
    this.#notificationListeners.add(listener);
    return () => this.#notificationListeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    await this.#applying;
    await Promise.all(this.all.map((upstream) => upstream[Symbol.asyncDispose]()));
  }

  async #apply(configs: readonly UpstreamConfig[]): Promise<void> {
    if (this.#stopped) return;
    const wanted = new Set(configs.map(({ id }) => id));
    const removed = [...this.#entries].filter(([id]) => !wanted.has(id));
    const [entries] = await Promise.all([
      Promise.all(configs.map(async (config) => [config.id, await this.#toEntry(config)] as const)),
      ...removed.map(([id, entry]) => this.#remove(id, entry)),
    ]);
    const next = new Map(entries);
    const changed =
      removed.length > 0 || entries.some(([id, entry]) => this.#entries.get(id)?.upstream !== entry.upstream);
    this.#entries = next;
    if (changed) this.#tellManifests();
  }

  async #toEntry(config: UpstreamConfig): Promise<Entry> {
    const { resolve, connectors, manifests } = this.#options;
    const resolution = resolve(config.options);
    const connector = connectors.find(({ kind }) => kind === config.kind);
    const identity = { kind: config.kind, options: resolution.ok ? resolution.options : config.options };
    const key = toDigest(toCanonicalJson(identity), 32);
    const fingerprint = toCanonicalJson({ config, key, ok: resolution.ok } as unknown as JsonValue);
    const old = this.#entries.get(config.id);
    if (old?.fingerprint === fingerprint) return old;
    await old?.upstream[Symbol.asyncDispose]();
    if (old && old.key !== key) await manifests.remove(config.id);
    if (!config.enabled) return { fingerprint, key, upstream: createDormant(config, { is: 'disabled' }) };
    if (!resolution.ok || connector === undefined) {
      const missing = resolution.ok
        ? `a known "kind" instead of "${config.kind}"`
        : resolution.missing.join(', ');
      return { fingerprint, key, upstream: createDormant(config, { is: 'awaiting_config', missing }) };
    }
    const stored = await this.#load(config, key);
    const upstream = this.#createInstance({ config, key, connector, resolved: resolution.options, stored });
    return { fingerprint, key, upstream };
  }

  #createInstance(
    made: Pick<Parameters<typeof createInstance>[0], 'config' | 'key' | 'connector' | 'resolved' | 'stored'>,
  ): Upstream {
    const { manifests, baseEnv, feed, clock = systemClock, self = SELF } = this.#options;
    return createInstance({
      ...made,
      manifests,
      baseEnv,
      feed,
      clock,
      self,
      gate: this.#gate,
      onManifest: () => this.#tellManifests(),
      onNotification: (method, params) => {
        for (const listener of [...this.#notificationListeners]) listener(made.config.id, method, params);
      },
    });
  }

  async #load(config: UpstreamConfig, key: string): ReturnType<ManifestStore['load']> {
    try {
      return await this.#options.manifests.load(key);
    } catch (error) {
      // A store that cannot be read costs a first contact, not the server.
      this.#options.feed.publish({ type: 'fault', where: `reading the manifest of ${config.name}`, error });
      return undefined;
    }
  }

  async #remove(id: UpstreamId, { upstream }: Entry): Promise<void> {
    await upstream[Symbol.asyncDispose]();
    await this.#options.manifests.remove(id);
  }

  #tellManifests(): void {
    for (const listener of [...this.#manifestListeners]) listener();
  }
}

const SELF: Implementation = { name: 'thimble', version: VERSION };

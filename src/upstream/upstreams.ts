/** All configured servers: kept equal to the configuration, contacted with bounded parallelism. */
import type { Unsubscribe } from '../events/feed.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { UpstreamId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Implementation } from '../model/mcp.ts';
import { VERSION } from '../model/version.ts';
import { createCapacity } from './capacity.ts';
import { createGate } from './gate.ts';
import { createGroupMeter } from './group-meter.ts';
import { type MakingParts, planUpstream } from './make-upstream.ts';
import { createForgetfulGroups, type ProcessGroups } from './process-groups.ts';
import { createSharedInstances, type SharedInstances } from './shared-instances.ts';
import type { Upstream, UpstreamConfig, Upstreams } from './upstream.ts';

/** What the layer is built from. */
export interface UpstreamsOptions
  extends Pick<MakingParts, 'connectors' | 'manifests' | 'keyring' | 'resolve' | 'baseEnv' | 'feed'> {
  readonly clock?: Clock;
  /** How many servers are contacted at once in the background. */
  readonly parallel?: number;
  /** How many programs run at once; 64 unless told. */
  readonly maxProcesses?: number;
  /** Where the process groups of children are noted; nowhere unless told. */
  readonly groups?: ProcessGroups;
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

const MAX_PROCESSES = 64;
const SELF: Implementation = { name: 'thimble', version: VERSION };

/** Creates the layer; it is empty until a configuration is applied. */
export function createUpstreams(options: UpstreamsOptions): Upstreams {
  return new UpstreamSet(options);
}

class UpstreamSet implements Upstreams {
  readonly #parts: MakingParts;
  readonly #shared: SharedInstances;
  readonly #manifestListeners = new Set<() => void>();
  readonly #notificationListeners = new Set<NotificationListener>();
  readonly #retiring = new Set<Promise<void>>();
  #entries: ReadonlyMap<UpstreamId, Entry> = new Map();
  #applying: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor({ clock = systemClock, self = SELF, parallel = 8, ...options }: UpstreamsOptions) {
    const { groups = createForgetfulGroups(clock), maxProcesses = MAX_PROCESSES } = options;
    this.#parts = {
      ...options,
      clock,
      self,
      gate: createGate(parallel),
      capacity: createCapacity(maxProcesses, clock),
      meter: createGroupMeter(clock),
      groups,
      swept: groups.sweep(),
      onManifest: () => this.#tellManifests(),
      onNotification: ({ id }, method, params) => {
        for (const listener of [...this.#notificationListeners]) listener(id, method, params);
      },
    };
    this.#shared = createSharedInstances(this.#parts);
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
    await Promise.all([...this.all.map((upstream) => upstream[Symbol.asyncDispose]()), ...this.#retiring]);
  }

  /** The new set takes over at once; what it replaces winds down behind it. */
  async #apply(configs: readonly UpstreamConfig[]): Promise<void> {
    const plans = await Promise.all(configs.map((config) => planUpstream(config, this.#parts)));
    if (this.#stopped) return;
    const before = this.#entries;
    const next = new Map<UpstreamId, Entry>();
    for (const plan of plans) {
      const { config, key, fingerprint } = plan;
      const old = before.get(config.id);
      const isSame = old?.fingerprint === fingerprint;
      // What cannot be started now, for want of a value, may be the old one again when it is given.
      const isReplaced = old !== undefined && old.key !== key && plan.shareKey !== undefined;
      const after = () => old && this.#retire(old, isReplaced ? () => this.#outdate(old) : undefined);
      const upstream = isSame ? old.upstream : this.#shared.join(plan, after);
      next.set(config.id, { fingerprint, key, upstream });
    }
    this.#entries = next;
    const kept = keysOf(next);
    for (const [id, entry] of before)
      if (!next.has(id)) void this.#retire(entry, () => this.#forget(entry, kept));
    const changed = [...next].some(([id, { upstream }]) => before.get(id)?.upstream !== upstream);
    if (changed || next.size !== before.size) this.#tellManifests();
  }

  /** Resolves when it has ended; what is done afterwards keeps nobody waiting but the end of all. */
  #retire({ upstream }: Entry, afterwards?: () => Promise<void>): Promise<void> {
    const ended = Promise.resolve(upstream[Symbol.asyncDispose]());
    const retired = ended.then(afterwards).finally(() => this.#retiring.delete(retired));
    this.#retiring.add(retired);
    return ended;
  }

  /** Forgets a server with all it ever was; what another comes to as well is still needed. */
  #forget({ key, upstream }: Entry, kept: ReadonlySet<string>): Promise<void> {
    return this.#forgetting(upstream, async ({ manifests, keyring }, current) => {
      const { id } = upstream.config;
      const inUse = new Set([...kept, ...current]);
      if (!inUse.has(key)) await manifests.remove(key);
      await manifests.removeAll(id, inUse);
      await keyring?.forget({ upstream: id, key }, inUse);
    });
  }

  /** Forgets what was seen of a server as it was configured before. */
  #outdate({ key, upstream }: Entry): Promise<void> {
    return this.#forgetting(upstream, async ({ manifests }, inUse) => {
      if (!inUse.has(key)) await manifests.remove(key);
    });
  }

  async #forgetting(
    { config }: Upstream,
    forget: (parts: MakingParts, inUse: ReadonlySet<string>) => Promise<void>,
  ): Promise<void> {
    try {
      await forget(this.#parts, keysOf(this.#entries));
    } catch (error) {
      this.#parts.feed.publish({ type: 'fault', where: `forgetting ${config.name}`, error });
    }
  }

  #tellManifests(): void {
    for (const listener of [...this.#manifestListeners]) listener();
  }
}

function keysOf(entries: ReadonlyMap<UpstreamId, Entry>): ReadonlySet<string> {
  return new Set([...entries.values()].map(({ key }) => key));
}

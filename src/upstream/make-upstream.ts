/** From one configured entry to the upstream that serves it: resolve, remember, create. */
import type { Feed } from '../events/feed.ts';
import type { Clock } from '../lib/clock.ts';
import { type JsonObject, type JsonValue, toCanonicalJson } from '../model/json.ts';
import type { Implementation } from '../model/mcp.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import type { ManifestStore, Remembered } from '../store/store.ts';
import type { Capacity } from './capacity.ts';
import type { Keyring } from './credentials/keyring.ts';
import { createDormant } from './dormant.ts';
import type { Gate } from './gate.ts';
import type { GroupMeter } from './group-meter.ts';
import { createInstance } from './instance.ts';
import { toInstanceKey } from './instance-key.ts';
import type { InstanceOptions } from './instance-options.ts';
import type { ProcessGroups } from './process-groups.ts';
import { createScopedUpstream } from './scoped.ts';
import type { Connector, Upstream, UpstreamConfig } from './upstream.ts';

/** Options with every reference resolved, or what could not be. */
export type ResolvedOptions =
  | {
      readonly ok: true;
      readonly options: JsonObject;
      /** What the references stood for. */
      readonly values?: readonly string[];
    }
  | { readonly ok: false; readonly missing: readonly string[] };

/** What all upstreams are made with. */
export interface MakingParts {
  readonly connectors: readonly Connector[];
  readonly manifests: ManifestStore;
  /** The credentials of servers that ask for a login. */
  readonly keyring?: Keyring;
  /** Resolves the references in a server's options. */
  readonly resolve: (options: JsonObject) => ResolvedOptions;
  readonly baseEnv: Readonly<Record<string, string>>;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly self: Implementation;
  readonly gate: Gate;
  readonly capacity: Capacity;
  readonly meter: GroupMeter;
  readonly groups: ProcessGroups;
  /** Settles when nothing an earlier gateway left behind is running any more. */
  readonly swept: Promise<unknown>;
  onManifest(): void;
  onNotification(config: UpstreamConfig, method: string, params: JsonObject): void;
}

/** An upstream that could be made; nothing is started yet. */
export interface Plan {
  readonly config: UpstreamConfig;
  /** The digest of the resolved configuration. */
  readonly key: string;
  /** Equal for equal configurations: such an upstream may be left as it is. */
  readonly fingerprint: string;
  /** Equal for those who may share one instance; undefined where nothing would be started. */
  readonly shareKey: string | undefined;
  /** Makes it; what it replaces is waited for before it starts, and news goes to those who share it. */
  make(after: Promise<unknown> | undefined, news: Pick<MakingParts, 'feed' | 'onNotification'>): Upstream;
}

/** A shared instance may ask anything but for roots: those belong to one client and would bind all others. */
const SHARED_CAPABILITIES: JsonObject = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

/** Works out what a configured entry comes to. */
export async function planUpstream(config: UpstreamConfig, parts: MakingParts): Promise<Plan> {
  const resolution = parts.resolve(config.options);
  const connector = parts.connectors.find(({ kind }) => kind === config.kind);
  const key = toInstanceKey(config.kind, resolution.ok ? resolution.options : config.options);
  const fingerprint = toCanonicalJson({ config, key, ok: resolution.ok } as unknown as JsonValue);
  const plan = { config, key, fingerprint, shareKey: undefined };
  if (!config.enabled) return { ...plan, make: () => createDormant(config, { is: 'disabled' }) };
  if (!resolution.ok) return { ...plan, make: () => lack(config, resolution.missing.join(', '), parts.feed) };
  if (!connector)
    return { ...plan, make: () => lack(config, `a known kind instead of "${config.kind}"`, parts.feed) };
  const stored = await load(config, key, parts);
  const resource = connector.resource?.(resolution.options);
  const credentials = resource && parts.keyring?.open({ upstream: config.id, key, resource });
  const { options: resolved, values: secrets } = resolution;
  const made = { config, key, connector, resolved, secrets, stored, credentials };
  return {
    ...plan,
    shareKey: toShareKey(config, key),
    make: (after, news) =>
      makeScoped({ ...made, after: Promise.all([after, parts.swept]) }, { ...parts, ...news }),
  };
}

/** Two servers share an instance when all that decides how it behaves is equal; names and tags do not. */
function toShareKey(config: UpstreamConfig, key: string): string {
  const { timeoutMs, startTimeoutMs, era, interactive, limits } = config;
  return toCanonicalJson({
    key,
    timeoutMs,
    startTimeoutMs,
    era,
    interactive,
    limits,
  } as unknown as JsonValue);
}

type Made = Pick<
  InstanceOptions,
  'config' | 'key' | 'connector' | 'resolved' | 'secrets' | 'stored' | 'credentials' | 'after'
>;

function makeScoped(made: Made, parts: MakingParts): Upstream {
  const declares = made.config.interactive === 'off' ? {} : SHARED_CAPABILITIES;
  const shared = createInstance({ ...toCommon(made, parts), declares });
  return createScopedUpstream({
    shared,
    clock: parts.clock,
    open: (scope, before) =>
      createInstance({
        ...toCommon(made, parts),
        after: Promise.all([made.after, before]),
        declares: scope.declares,
        fallback: scope.owner,
        stored: { manifest: shared.manifest },
        // What one client's instance offers is not news for the others.
        manifests: createMemoryStore().manifests,
        onManifest() {},
      }),
  });
}

function toCommon(made: Made, parts: MakingParts): Omit<InstanceOptions, 'declares'> {
  const { manifests, baseEnv, feed, clock, self, gate, capacity, meter, groups, onManifest } = parts;
  const onNotification = (method: string, params: JsonObject) =>
    parts.onNotification(made.config, method, params);
  const common = { ...made, manifests, baseEnv, feed, clock, self, gate, capacity, meter, groups };
  return { ...common, onManifest, onNotification };
}

function lack(config: UpstreamConfig, missing: string, feed: Feed): Upstream {
  const state = { is: 'awaiting_config', missing } as const;
  feed.publish({ type: 'upstream.state', upstream: config.id, state: state.is, detail: `set ${missing}` });
  return createDormant(config, state);
}

async function load(
  config: UpstreamConfig,
  key: string,
  parts: MakingParts,
): Promise<Remembered | undefined> {
  try {
    return await parts.manifests.load(key);
  } catch (error) {
    // A store that cannot be read costs a first contact, not the server.
    parts.feed.publish({ type: 'fault', where: `reading the manifest of ${config.name}`, error });
    return undefined;
  }
}

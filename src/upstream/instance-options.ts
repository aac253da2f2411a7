/** What an instance is made of. */
import type { Feed } from '../events/feed.ts';
import type { Clock } from '../lib/clock.ts';
import type { CallContext } from '../model/call.ts';
import type { JsonObject } from '../model/json.ts';
import type { Implementation } from '../model/mcp.ts';
import type { ManifestStore, Remembered } from '../store/store.ts';
import type { Capacity } from './capacity.ts';
import type { Credentials } from './credentials/credentials.ts';
import type { Gate } from './gate.ts';
import type { GroupMeter } from './group-meter.ts';
import type { ProcessGroups } from './process-groups.ts';
import type { Connector, UpstreamConfig } from './upstream.ts';

/** What an instance is made of. */
export interface InstanceOptions {
  readonly config: UpstreamConfig;
  /** The digest of the resolved configuration, under which the manifest is kept. */
  readonly key: string;
  readonly connector: Connector;
  /** The connector's options with every reference resolved. */
  readonly resolved: JsonObject;
  /** What those references stood for. */
  readonly secrets?: readonly string[] | undefined;
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
  /** The places for programs, of which a server that is one takes one. */
  readonly capacity: Capacity;
  readonly meter: GroupMeter;
  readonly groups: ProcessGroups;
  readonly feed: Feed;
  readonly clock: Clock;
  onManifest(): void;
  onNotification(method: string, params: JsonObject): void;
}

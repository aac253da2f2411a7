/** What one endpoint shows: the snapshot behind it, its exposure, its greeting, and what changed since last time. */
import type { Catalog, Snapshot } from '../catalog/catalog.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import type { Unsubscribe } from '../events/feed.ts';
import type { Exposure, ExposureMode } from '../exposure/exposure.ts';
import type { ModePorts } from '../exposure/ports.ts';
import type { CallContext } from '../model/call.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { ALL_KINDS, KINDS } from '../model/kinds.ts';
import type { Kind } from '../model/manifest.ts';
import type { Definition } from '../model/mcp.ts';
import { isShare } from '../model/principal.ts';
import type { CatalogView, Policy } from '../policy/policy.ts';
import { openView } from '../policy/view.ts';
import type { Instructions } from './instructions.ts';
import type { ModeStates } from './mode-states.ts';
import type { Endpoint } from './session.ts';

/** An endpoint at work. */
export interface Surface {
  readonly exposure: Exposure;
  /** The endpoint as one text. */
  readonly key: string;
  /** False when a call may change what is shown, so that nobody should keep it for a while. */
  readonly keepable: boolean;
  view(context: CallContext): CatalogView;
  /** Capabilities to declare. */
  capabilities(): JsonObject;
  instructions(context: CallContext): Promise<string | undefined>;
  /** What a client is shown of a kind. */
  shown(kind: Kind, context: CallContext): Promise<readonly Definition[]>;
  /** How to ask now for what tools of older systems did; undefined for names nobody ever had. */
  renamed(name: string): Promise<string | undefined>;
  /** Told when what the mode remembers of this caller changed, and with it perhaps what is shown. */
  onStateChange(context: CallContext, listener: () => void): Unsubscribe;
  /** Told when the configuration of modes was changed: another mode may answer at the same address from then on. */
  onExposureChange(listener: () => void): Unsubscribe;
}

/** What surfaces are made of. */
export interface SurfaceParts {
  readonly catalog: Catalog;
  readonly policies: readonly Policy[];
  readonly modes: readonly ExposureMode[];
  readonly ports: Omit<ModePorts, 'state' | 'kept'>;
  readonly states: ModeStates;
  /** Told when the configuration of modes was changed. */
  onExposureChange(listener: () => void): Unsubscribe;
  readonly instructions: Instructions;
}

/** How long what was activated by a client without a conversation stays so while it is not used. */
const IDLE_LIFETIME_MS = 8 * 3_600_000;
/** How long a choice made for a client is kept while it does not come. */
const CHOICE_LIFETIME_MS = 60 * 86_400_000;

/** Opens what an endpoint shows; one that lasts remembers for itself, another one for all of the same client. */
export function openSurface(endpoint: Endpoint, lasts: boolean, parts: SurfaceParts): Surface {
  const { catalog, policies, states } = parts;
  const mode = findMode(endpoint.kind === 'mode' ? endpoint.mode : 'direct', parts);
  const key = toEndpointKey(endpoint);
  const state = lasts ? states.passing() : states.lasting(key, IDLE_LIFETIME_MS);
  const kept = states.lasting(`${key} kept`, CHOICE_LIFETIME_MS);
  const exposure = mode.open({
    ...parts.ports,
    // Read anew each time: a conversation may outlive a configuration.
    get options() {
      return parts.ports.options;
    },
    state,
    kept,
  });
  const snapshot = () => snapshotOf(endpoint, catalog);
  const view = (context: CallContext) => openView(snapshot(), catalog, policies, context);
  const hello = () => (endpoint.kind === 'upstream' ? snapshot().hello(endpoint.upstream) : undefined);
  return {
    exposure,
    key,
    keepable: mode.changesByCall !== true,
    view,
    capabilities: () =>
      toCapabilities(
        hello()?.capabilities,
        snapshot().sources.map(({ manifest }) => manifest.hello.capabilities),
      ),
    onExposureChange: parts.onExposureChange,
    renamed: parts.ports.renamed,
    async instructions(context) {
      const own = hello();
      // A server of ours greets as the gateway does: its text is made anew for every conversation.
      const isOurs = snapshot().sources.every(({ core }) => core);
      if (own && !isOurs) return own.instructions;
      // Our greeting is made from what the owner keeps about themselves, which is nobody else's.
      return isShare(context.principal) ? undefined : parts.instructions.text(exposure, view(context));
    },
    async shown(kind, context) {
      const seen = view(context);
      return kind === 'tool' ? exposure.tools(seen) : seen.list(kind).map((entry) => entry.definition);
    },
    onStateChange(context, listener) {
      const { caller } = view(context);
      const stops = [state.onChange(caller, listener), kept.onChange(caller, listener)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/** An endpoint as one text, by which a client finds again what was remembered for it there. */
export function toEndpointKey(endpoint: Endpoint): string {
  return endpoint.kind === 'mode'
    ? `mode ${endpoint.mode} ${endpoint.profile ?? ''}`
    : `upstream ${endpoint.upstream}`;
}

function findMode(name: string, { modes }: SurfaceParts): ExposureMode {
  const mode = modes.find((candidate) => candidate.name === name);
  if (!mode) throw new GatewayError('ENDPOINT_NOT_FOUND', `there is no mode "${name}"`);
  return mode;
}

function snapshotOf(endpoint: Endpoint, catalog: Catalog): Snapshot {
  if (endpoint.kind === 'mode') return catalog.current;
  const snapshot = catalog.only(endpoint.upstream);
  if (snapshot) return snapshot;
  throw new GatewayError(
    'ENDPOINT_NOT_FOUND',
    `upstream "${endpoint.upstream}" is no longer configured or is switched off`,
  );
}

/** Extensions are between a client and its servers: what any server behind this endpoint declares is declared. */
function toExtensions(declared: readonly JsonObject[]): JsonObject {
  const merged: Record<string, JsonObject> = {};
  for (const capabilities of declared) {
    for (const member of ['extensions', 'experimental']) {
      const offered = capabilities[member];
      if (isJsonObject(offered)) merged[member] = { ...merged[member], ...offered };
    }
  }
  return merged;
}

/** Everything the gateway can carry; for a single upstream, what it has of that. */
function toCapabilities(offered: JsonObject | undefined, declared: readonly JsonObject[]): JsonObject {
  const capabilities: Record<string, JsonObject> = {};
  for (const kind of ALL_KINDS) {
    const { capability } = KINDS[kind];
    if (!offered || offered[capability]) capabilities[capability] = { listChanged: true };
  }
  if (capabilities['resources']) capabilities['resources'] = { listChanged: true, subscribe: true };
  for (const also of ['completions', 'logging']) if (!offered || offered[also]) capabilities[also] = {};
  return { ...capabilities, ...toExtensions(declared) };
}

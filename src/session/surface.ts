/** What one endpoint shows: the snapshot behind it, its exposure, its greeting, and what changed since last time. */
import type { Catalog, Snapshot } from '../catalog/catalog.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import type { Exposure, ExposureMode } from '../exposure/exposure.ts';
import type { ModePorts } from '../exposure/ports.ts';
import type { CallContext } from '../model/call.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { ALL_KINDS, KINDS } from '../model/kinds.ts';
import type { Kind } from '../model/manifest.ts';
import type { Definition } from '../model/mcp.ts';
import type { CatalogView, Policy } from '../policy/policy.ts';
import { openView } from '../policy/view.ts';
import type { Endpoint } from './session.ts';

/** An endpoint at work. */
export interface Surface {
  readonly exposure: Exposure;
  view(context: CallContext): CatalogView;
  /** Capabilities to declare. */
  capabilities(): JsonObject;
  instructions(): string | undefined;
  /** What a client is shown of a kind. */
  shown(kind: Kind, context: CallContext): readonly Definition[];
}

/** What surfaces are made of. */
export interface SurfaceParts {
  readonly catalog: Catalog;
  readonly policies: readonly Policy[];
  readonly modes: readonly ExposureMode[];
  readonly ports: ModePorts;
}

/** Opens what an endpoint shows. */
export function openSurface(endpoint: Endpoint, parts: SurfaceParts): Surface {
  const { catalog, policies } = parts;
  const exposure = openExposure(endpoint.kind === 'mode' ? endpoint.mode : 'direct', parts);
  const snapshot = () => snapshotOf(endpoint, catalog);
  const view = (context: CallContext) => openView(snapshot(), catalog, policies, context);
  const hello = () => (endpoint.kind === 'upstream' ? snapshot().hello(endpoint.upstream) : undefined);
  return {
    exposure,
    view,
    capabilities: () =>
      toCapabilities(
        hello()?.capabilities,
        snapshot().sources.map(({ manifest }) => manifest.hello.capabilities),
      ),
    instructions: () => hello()?.instructions,
    shown(kind, context) {
      const seen = view(context);
      return kind === 'tool' ? exposure.tools(seen) : seen.list(kind).map((entry) => entry.definition);
    },
  };
}

function openExposure(name: string, { modes, ports }: SurfaceParts): Exposure {
  const mode = modes.find((candidate) => candidate.name === name);
  if (!mode) throw new GatewayError('ENDPOINT_NOT_FOUND', `there is no mode "${name}"`);
  return mode.open(ports);
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

/** What `/health` says: who is served and how many tools each way of looking shows. */
import type { Catalog } from '../catalog/catalog.ts';
import type { ExposureMode } from '../exposure/exposure.ts';
import type { ModePorts } from '../exposure/ports.ts';
import type { UpstreamId } from '../model/ids.ts';
import type { Policy } from '../policy/policy.ts';
import type { Upstreams } from '../upstream/upstream.ts';
import { toIdleContext } from './client-facts.ts';
import { openSurface } from './surface.ts';

/** The whole answer; its shape is a promise to monitors. */
export interface Health {
  readonly status: 'ok';
  /** Ids of the built-in servers. */
  readonly servers: readonly UpstreamId[];
  readonly externalServers: readonly {
    readonly id: UpstreamId;
    readonly name: string;
    readonly tools: number;
  }[];
  readonly toolCounts: {
    readonly core: number;
    readonly external: number;
    readonly total: number;
    /** Tools shown at /router/mcp, or null while there is none. */
    readonly routerMode: number | null;
    /** Tools shown by each mode. */
    readonly modes: Readonly<Record<string, number>>;
  };
}

/** What health is read from. */
export interface HealthParts {
  readonly upstreams: Upstreams;
  readonly catalog: Catalog;
  readonly policies: readonly Policy[];
  readonly modes: readonly ExposureMode[];
  readonly ports: ModePorts;
}

/** Reads the health of a running gateway. */
export function toHealth(parts: HealthParts): Health {
  const enabled = parts.upstreams.all.filter((upstream) => upstream.config.enabled);
  const isCore = (kind: string) => kind === 'builtin';
  const toolsOf = (core: boolean) =>
    enabled
      .filter(({ config }) => isCore(config.kind) === core)
      .reduce((sum, { manifest }) => sum + (manifest?.lists.tool.length ?? 0), 0);
  const core = toolsOf(true);
  const external = toolsOf(false);
  return {
    status: 'ok',
    servers: enabled.filter(({ config }) => isCore(config.kind)).map(({ config }) => config.id),
    externalServers: enabled
      .filter(({ config }) => !isCore(config.kind))
      .map(({ config, manifest }) => ({
        id: config.id,
        name: config.name,
        tools: manifest?.lists.tool.length ?? 0,
      })),
    toolCounts: { core, external, total: core + external, routerMode: null, modes: countModes(parts) },
  };
}

function countModes(parts: HealthParts): Record<string, number> {
  const context = toIdleContext();
  return Object.fromEntries(
    parts.modes.map(({ name }) => {
      const surface = openSurface({ kind: 'mode', mode: name, profile: undefined }, parts);
      return [name, surface.shown('tool', context).length];
    }),
  );
}

/** What `/health` says: who is served and how many tools each way of looking shows. */
import type { UpstreamId } from '../model/ids.ts';
import type { Upstream, Upstreams } from '../upstream/upstream.ts';
import { toIdleContext } from './client-facts.ts';
import { openSurface, type SurfaceParts } from './surface.ts';

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
  /** How many tools each mode shows. */
  readonly modes: Readonly<Record<string, number>>;
}

/** Reads the health of a running gateway. */
export function toHealth(parts: HealthParts): Health {
  const enabled = parts.upstreams.all.filter((upstream) => upstream.config.enabled);
  const isCore = ({ config }: Upstream) => config.core === true;
  const toolsOf = (core: boolean) =>
    enabled
      .filter((upstream) => isCore(upstream) === core)
      .reduce((sum, upstream) => sum + countTools(upstream), 0);
  const core = toolsOf(true);
  const external = toolsOf(false);
  const { modes } = parts;
  return {
    status: 'ok',
    servers: enabled.filter(isCore).map(({ config }) => config.id),
    externalServers: enabled
      .filter((upstream) => !isCore(upstream))
      .map((upstream) => ({
        id: upstream.config.id,
        name: upstream.config.name,
        tools: countTools(upstream),
      })),
    toolCounts: {
      core,
      external,
      total: core + external,
      routerMode: modes['router'] ?? null,
      modes,
    },
  };
}

function countTools({ config, manifest }: Upstream): number {
  const off = new Set(config.disabledTools);
  return manifest?.lists.tool.filter(({ name }) => !off.has(String(name))).length ?? 0;
}

/** Counts what each mode that is on shows to a client nobody knows. */
export async function countModes(
  parts: SurfaceParts,
  off: ReadonlyMap<string, string>,
): Promise<Record<string, number>> {
  const context = toIdleContext();
  const counts = parts.modes
    .filter(({ name }) => !off.has(name))
    .map(async ({ name }) => {
      const surface = openSurface({ kind: 'mode', mode: name, profile: undefined }, true, parts);
      return [name, (await surface.shown('tool', context)).length] as const;
    });
  return Object.fromEntries(await Promise.all(counts));
}

/** Which servers are active for a caller: the default one always, others in the order they were asked for. */
import type { Unmet } from '../../catalog/catalog.ts';
import type { JsonObject } from '../../model/json.ts';
import type { CatalogView } from '../../policy/policy.ts';
import type { ModePorts } from '../ports.ts';

/** The default server of those who say nothing. */
const USUAL_DEFAULT = 'memory';

/** What is active. */
export interface ActiveServers {
  /** The server that cannot be switched off; undefined when none is visible. */
  readonly default: string | undefined;
  /** All active ones: the default first, the others in the order they were activated. */
  readonly all: readonly string[];
}

/** The visible servers by id, met or not. */
export function visibleServers(view: CatalogView): readonly string[] {
  return toIds(metOrNot(view));
}

function metOrNot(view: CatalogView): readonly Unmet[] {
  return [...view.upstreams(), ...view.unmet()];
}

function toIds(servers: readonly Unmet[]): readonly string[] {
  return servers.map(({ upstream }) => String(upstream)).sort();
}

/** The server that is always shown: the configured one, else memory, else the first. */
function toDefault(
  servers: readonly Unmet[],
  ids: readonly string[],
  configured: string | undefined,
): string | undefined {
  if (configured !== undefined) {
    const named = servers.find(({ title }) => title === configured);
    const wanted = named?.upstream ?? configured;
    if (ids.includes(wanted)) return wanted;
  }
  return ids.includes(USUAL_DEFAULT) ? USUAL_DEFAULT : ids[0];
}

/** Reads what is active for the caller of a view; servers that are gone meanwhile do not count. */
export async function readActive(view: CatalogView, ports: ModePorts): Promise<ActiveServers> {
  return toActive(view, ports, await ports.state.read(view.caller));
}

/** Makes of a remembered state what is active. */
function toActive(
  view: CatalogView,
  { options }: Pick<ModePorts, 'options'>,
  state: JsonObject | undefined,
): ActiveServers {
  const servers = metOrNot(view);
  const ids = toIds(servers);
  const first = toDefault(servers, ids, options.activate.default);
  const added = toList(state).filter((id) => id !== first && ids.includes(id));
  return { default: first, all: first === undefined ? added : [first, ...added] };
}

/** Switches a server on or off; decided in the step that does it, so that a call sees what came of those before it. */
export async function switchServer(
  server: string,
  active: boolean,
  view: CatalogView,
  ports: ModePorts,
): Promise<{ readonly before: ActiveServers; readonly after: ActiveServers }> {
  let before: ActiveServers = { default: undefined, all: [] };
  const state = await ports.state.update(view.caller, (now) => {
    before = toActive(view, ports, now);
    const isDone = server === before.default || before.all.includes(server) === active;
    return isDone ? (now ?? {}) : withServer(now, server, active);
  });
  return { before, after: toActive(view, ports, state) };
}

/** Adds a server at the end, or takes it out. */
function withServer(state: JsonObject | undefined, server: string, active: boolean): JsonObject {
  const others = toList(state).filter((id) => id !== server);
  return { active: active ? [...others, server] : others };
}

function toList(state: JsonObject | undefined): readonly string[] {
  const active = state?.['active'];
  return Array.isArray(active) ? active.filter((id): id is string => typeof id === 'string') : [];
}

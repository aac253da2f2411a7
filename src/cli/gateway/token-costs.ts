/** What tools cost a conversation in tokens: each server, all as they are, and what a client is shown instead. */
import type { Gateway } from '../../gateway.ts';
import type { Definition } from '../../model/mcp.ts';
import { toIdleContext } from '../../session/client-facts.ts';
import { openSurface } from '../../session/surface.ts';
import type { CommandInput, CommandPorts } from '../command.ts';
import { openKnownGateway } from './known-gateway.ts';

/** One line of the count. */
export interface Cost {
  readonly name: string;
  readonly tools: number;
  readonly bytes: number;
  readonly tokens: number;
}

/** The count of a whole configuration. */
export interface Costs {
  /** The servers of the person, without those of our own. */
  readonly servers: readonly Cost[];
  /** All of them as clients had them. */
  readonly before: Cost;
  /** What is shown at `/mcp`, our own servers included. */
  readonly after: Cost;
  readonly mode: string;
}

/** Opens a gateway, meets its servers and counts; undefined when the person gave up meanwhile. */
export async function countCosts(input: CommandInput, ports: CommandPorts): Promise<Costs | undefined> {
  await using running = await openKnownGateway(input, ports);
  if (!running) return undefined;
  const { gateway, config } = running;
  const theirs = new Set(
    gateway.upstreams.all
      .filter(({ config: { kind } }) => kind !== 'builtin')
      .map(({ config: { id } }) => id),
  );
  const servers = (await countServers(gateway)).filter(({ name }) => theirs.has(name as never));
  const tools = gateway.catalog.current.list('tool').filter(({ upstream }) => theirs.has(upstream));
  const { mode } = config.exposure;
  const before = await toCost(
    'before',
    tools.map(({ definition }) => definition),
    gateway,
  );
  return { servers, before, after: await countMode(mode, gateway), mode };
}

/** What the tools of each server cost. */
export function countServers(gateway: Gateway): Promise<readonly Cost[]> {
  const entries = gateway.catalog.current.list('tool');
  return Promise.all(
    gateway.catalog.current.sources.map(({ upstream }) =>
      toCost(
        upstream,
        entries.filter((entry) => entry.upstream === upstream).map(({ definition }) => definition),
        gateway,
      ),
    ),
  );
}

/** What a mode shows instead. */
export async function countMode(mode: string, gateway: Gateway): Promise<Cost> {
  const surface = openSurface({ kind: 'mode', mode, profile: undefined }, true, gateway.surfaces);
  return toCost(mode, await surface.shown('tool', toIdleContext()), gateway);
}

async function toCost(name: string, tools: readonly Definition[], { surfaces }: Gateway): Promise<Cost> {
  const text = JSON.stringify({ tools });
  const tokens = tools.length === 0 ? 0 : await surfaces.ports.tokens.count(text);
  return { name, tools: tools.length, bytes: Buffer.byteLength(text), tokens };
}

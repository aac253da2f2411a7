/** Finds one server among all that run from a home. */
import { findHome } from '../../config/home.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { askAll } from './ask.ts';
import type { ToldServer } from './questions.ts';

/** Where to look. */
export interface AskedPlace {
  readonly home: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Asks every process about one server. */
export async function askAbout(
  upstream: string,
  ask: 'status' | 'restart',
  { home, env }: AskedPlace,
): Promise<readonly ToldServer[]> {
  const told = await askAll(findHome({ flag: home, env }), env, { ask, upstream });
  return told.flatMap(({ servers }) => servers);
}

/** The server as the first process that has it tells of it; refused with the nearest when none does. */
export async function findServer(upstream: string, { home, env }: AskedPlace): Promise<ToldServer> {
  const folder = findHome({ flag: home, env });
  const told = await askAll(folder, env, { ask: 'status' });
  const servers = told.flatMap((process) => process.servers);
  const found = servers.find(({ id }) => id === upstream);
  if (found) return found;
  const ids = [...new Set(servers.map(({ id }) => id))].sort();
  const rest =
    ids.length === 0 ? `nothing runs from ${folder}; start thimble serve` : `running are ${ids.join(', ')}`;
  throw new GatewayError(
    'ENDPOINT_NOT_FOUND',
    `no running server has the id "${upstream}"${didYouMean(upstream, ids)}; ${rest}`,
  );
}

/** Finds the one server of the registry that a name means; several are shown, none is guessed. */
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { House } from '../../house.ts';
import { toShown } from '../../shown/quote.ts';
import { openRegistry, type Told } from './registry/open-registry.ts';
import { matchName, rankServers } from './registry/rank.ts';
import type { RegistryServer } from './registry/server-json.ts';

const SHOWN = 6;
const FULL_NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;

/** Looks a server up by its full name, its package or its short name; throws NAME_UNKNOWN with candidates. */
export async function findServer(
  word: string,
  house: House,
  version = 'latest',
): Promise<Told<RegistryServer>> {
  const registry = openRegistry(house);
  if (FULL_NAME.test(word)) {
    const { value, note } = await registry.get(word, version);
    if (value) return { value: checkAlive(value), note };
  }
  const { value: servers, note } = await registry.candidates(word);
  const [only, ...others] = matchName(word, servers);
  if (only && others.length > 0) throw ambiguous(word, [only, ...others]);
  if (!only) throw unknown(word, servers);
  if (version === 'latest') return { value: only, note };
  const exact = await registry.get(only.name, version);
  if (exact.value) return { value: checkAlive(exact.value), note: exact.note };
  throw new GatewayError(
    'NAME_UNKNOWN',
    `${only.name} has no version ${toShown(version)} in the registry; its latest is ${only.version}`,
  );
}

function checkAlive(server: RegistryServer): RegistryServer {
  if (server.status !== 'deleted') return server;
  throw new GatewayError('NAME_UNKNOWN', `${server.name} was taken out of the registry; search for another`);
}

function ambiguous(word: string, found: readonly RegistryServer[]): GatewayError {
  const names = found.map(({ name }) => name);
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return new GatewayError(
    'NAME_UNKNOWN',
    `${toShown(word)} can mean ${names.slice(0, SHOWN).join(', ')}${more}; give the full name of the one you mean`,
    { data: { candidates: names.slice(0, SHOWN) } },
  );
}

function unknown(word: string, servers: readonly RegistryServer[]): GatewayError {
  const near = rankServers(word, servers)
    .slice(0, SHOWN)
    .map(({ server }) => server.name);
  const hint =
    near.length > 0
      ? `the nearest are ${near.join(', ')}; give a full name`
      : 'try other words with server search, or install a package with --from (such as --from npm:<package>)';
  return new GatewayError('NAME_UNKNOWN', `the registry has no server called ${toShown(word)}; ${hint}`, {
    data: { candidates: near },
  });
}

/** The clients of the machine a house stands on, and those of them somebody means. */
import { realpath } from 'node:fs/promises';
import { type ClientStatus, type Clients, openClients } from '../../../clients/clients.ts';
import { findClient } from '../../../clients/known/registry.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { House } from '../../house.ts';

/** Opens the clients of a house. */
export function openHouseClients({ machine, env, cwd, home, now }: House): Clients {
  return openClients({ machine, env, cwd, home, now });
}

/** The clients somebody named: keys with commas between them, or `all` that are found and belong to the person. */
export async function findNamed(clients: Clients, name: string): Promise<readonly ClientStatus[]> {
  if (name.trim().toLowerCase() === 'all') return findAll(clients);
  const words = name.split(',').map((word) => word.trim());
  const keys = [...new Set(words.map((word) => findClient(word).key))];
  return Promise.all(keys.map((key) => clients.read(key)));
}

async function findAll(clients: Clients): Promise<readonly ClientStatus[]> {
  // The file of a project is shared with others, so it has to be named.
  const found = (await clients.list()).filter((client) => client.found && client.scope === 'user');
  if (found.length > 0) return found;
  throw new GatewayError(
    'NAME_UNKNOWN',
    'no AI client was found on this machine; thimble client config says where they are looked for, and thimble client config <client> --path <file> names another place',
  );
}

/** True when the configuration in use is the very file of a client, which must not be pointed at itself. */
export async function isOwnConfiguration(path: string, house: House): Promise<boolean> {
  const { path: own, text } = await house.config.read();
  if (text === undefined) return false;
  const real = (file: string) => realpath(file).catch(() => file);
  return (await real(own)) === (await real(path));
}

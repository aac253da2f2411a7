/** A registry without a network: documents of servers in a file or a folder of this machine. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { toMessage } from '../../../../errors/from-unknown.ts';
import { GatewayError } from '../../../../errors/gateway-error.ts';
import { isJsonObject } from '../../../../model/json.ts';
import { parseServer, type RegistryServer } from './server-json.ts';

const MAX_FILES = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_DEPTH = 4;

/** Reads every server of a mirror, all versions; what is no server is passed over. */
export async function readMirror(path: string): Promise<readonly RegistryServer[]> {
  try {
    const found = await stat(path);
    const files = found.isDirectory() ? await findFiles(path, MAX_DEPTH) : [path];
    const servers: RegistryServer[] = [];
    for (const file of files.slice(0, MAX_FILES)) servers.push(...(await readServers(file)));
    return servers;
  } catch (error) {
    throw new GatewayError(
      'REGISTRY_UNAVAILABLE',
      `the mirror ${path} cannot be read (${toMessage(error)}); set THIMBLE_REGISTRY_MIRROR to a file or folder of server.json documents, or unset it`,
      { cause: error },
    );
  }
}

/** The server of that name in that version; `latest` is the highest. */
export function findVersion(
  servers: readonly RegistryServer[],
  name: string,
  version: string,
): RegistryServer | undefined {
  const named = servers.filter((server) => server.name.toLowerCase() === name.toLowerCase());
  if (version !== 'latest') return named.find((server) => server.version === version);
  return named.reduce<RegistryServer | undefined>(
    (best, server) =>
      best === undefined || compareVersions(server.version, best.version) > 0 ? server : best,
    undefined,
  );
}

/** Only the highest version of each server. */
export function onlyLatest(servers: readonly RegistryServer[]): readonly RegistryServer[] {
  const latest = new Map<string, RegistryServer>();
  for (const server of servers) {
    const before = latest.get(server.name);
    if (!before || compareVersions(server.version, before.version) > 0) latest.set(server.name, server);
  }
  return [...latest.values()];
}

/** Orders versions by their numbers; one with a suffix such as -beta comes before the same without. */
export function compareVersions(a: string, b: string): number {
  const [coreA = '', preA] = a.replace(/^v/, '').split(/-(.*)/s);
  const [coreB = '', preB] = b.replace(/^v/, '').split(/-(.*)/s);
  const byCore = coreA.localeCompare(coreB, 'en', { numeric: true });
  if (byCore !== 0) return byCore;
  if (preA === undefined || preB === undefined)
    return Number(preA === undefined) - Number(preB === undefined);
  return preA.localeCompare(preB, 'en', { numeric: true });
}

async function findFiles(folder: string, depth: number): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isFile() && entry.name.endsWith('.json')) found.push(path);
    if (entry.isDirectory() && depth > 0) found.push(...(await findFiles(path, depth - 1)));
    if (found.length > MAX_FILES) break;
  }
  return found;
}

async function readServers(file: string): Promise<readonly RegistryServer[]> {
  const { size } = await stat(file);
  if (size > MAX_BYTES) throw new Error(`${file} is larger than ${MAX_BYTES / 1024 / 1024} MB`);
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} is no JSON`, { cause: error });
  }
  const list = isJsonObject(value) && Array.isArray(value['servers']) ? value['servers'] : value;
  return (Array.isArray(list) ? list : [list]).flatMap((item: unknown) => parseServer(item) ?? []);
}

/** Where servers are taken from when somebody moves in: MCPM's folder, a `.mcp.json`, another Thimble file. */
import { readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { CLIENTS_FILE } from '../../../config/clients-file.ts';
import { parseJsonc } from '../../../config/jsonc.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { readText } from '../../../lib/edit-file.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../model/json.ts';
import type { House } from '../../house.ts';
import type { Incoming } from '../../intake/find-fault.ts';
import { toShellWord, toShown } from '../../shown/quote.ts';
import { fromMcpm } from './mcpm.ts';

/** What a source holds. */
export interface Source {
  readonly path: string;
  /** What it is, such as `MCPM`. */
  readonly kind: string;
  readonly servers: readonly Incoming[];
  /** Settings beside the servers, where it is a Thimble file. */
  readonly settings: JsonObject;
}

const MAX_BYTES = 5 * 1024 * 1024;

/** The source somebody named, or every one that is found in the usual places. */
export async function findSources(house: House, given: string | undefined): Promise<readonly Source[]> {
  if (given !== undefined) return [await readSource(resolve(house.cwd, given))];
  const { path: inUse } = await house.config.read();
  const places = [join(house.machine.userHome, '.config', 'mcpm'), join(house.cwd, CLIENTS_FILE)];
  const there = await Promise.all(places.map((place) => isThere(place)));
  const found = places.filter((place, index) => there[index] && place !== inUse);
  if (found.length > 0) return Promise.all(found.map(readSource));
  const why = places.includes(inUse)
    ? `${inUse} is the configuration in use; leave --config out to take its servers into thimble.jsonc`
    : `neither ${places.join(' nor ')} is there; name the folder or file, as in thimble config migrate <path>`;
  throw new GatewayError('NAME_UNKNOWN', `there is nothing to migrate: ${why}`);
}

/** Reads a JSON file that somebody named; refuses what is none, without a word of what stands in it. */
export async function readJsonFile(path: string): Promise<JsonObject> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw refuse(path, 'there is no such file', 'check the path');
  if (found.size > MAX_BYTES) throw refuse(path, 'it is larger than 5 MB', 'check that it is the right file');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) throw refuse(path, 'it may not be read', 'check who may read it');
  const document = parseJsonc(text);
  if (!('value' in document)) {
    const [fault] = document;
    const line = text.slice(0, fault?.offset ?? 0).split('\n').length;
    throw refuse(path, `it is not JSON (line ${line}: ${fault?.problem})`, 'correct it');
  }
  if (!isJsonObject(document.value))
    throw refuse(path, 'it holds no object', 'check that it is the right file');
  return document.value;
}

async function readSource(path: string): Promise<Source> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw refuse(path, 'there is nothing of that name', 'check the path');
  if (found.isDirectory()) return readMcpm(path);
  const document = await readJsonFile(path);
  if ('format' in document)
    throw refuse(path, 'it is an exported file', `use thimble config import ${toShellWord(path)} instead`);
  const { mcpServers, servers, $schema: _schema, ...settings } = document;
  const listed = toServers(mcpServers ?? servers);
  if (!listed) throw refuse(path, 'it has no mcpServers', 'check that it is the right file');
  const isOwn = /^thimble\.jsonc?$/.test(basename(path));
  return { path, kind: isOwn ? 'Thimble' : 'mcpServers', servers: listed, settings: isOwn ? settings : {} };
}

async function readMcpm(folder: string): Promise<Source> {
  const path = join(folder, 'servers.json');
  if ((await readText(path).catch(() => undefined)) === undefined)
    throw refuse(folder, 'it has no servers.json', "check that it is MCPM's folder, mostly ~/.config/mcpm");
  const profiles = join(folder, 'profiles.json');
  const grouped = (await isThere(profiles)) ? await readJsonFile(profiles) : {};
  return { path: folder, kind: 'MCPM', servers: fromMcpm(await readJsonFile(path), grouped), settings: {} };
}

function toServers(value: JsonValue | undefined): readonly Incoming[] | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.entries(value).map(([name, entry]) => ({ name, entry: isJsonObject(entry) ? entry : {} }));
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function refuse(path: string, why: string, next: string): GatewayError {
  return new GatewayError('FILE_REFUSED', `${toShown(path)} cannot be read: ${why}; ${next} and try again`);
}

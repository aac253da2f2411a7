/** Finds the configuration file and reads it. */
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { GatewayError } from '../errors/gateway-error.ts';
import { isJsonObject } from '../model/json.ts';
import { CLIENTS_FILE } from './clients-file.ts';
import type { Config } from './config.ts';
import { parseJsonc } from './jsonc.ts';
import { startsThimble } from './own-program.ts';
import { createDefaultConfig, parseConfig } from './parse.ts';
import type { ConfigParts } from './schema.ts';

/** Where a configuration may be. */
export interface ConfigPlaces {
  readonly cwd: string;
  /** The data directory. */
  readonly home: string;
  /** The value of `--config`. */
  readonly explicit?: string | undefined;
}

/** A configuration and the file it came from, if any. */
export interface LoadedConfig {
  readonly config: Config;
  readonly path: string | undefined;
}

const NAMES_HERE: readonly string[] = ['thimble.jsonc', 'thimble.json', CLIENTS_FILE];
const NAMES_AT_HOME: readonly string[] = ['thimble.jsonc', 'thimble.json'];

/** The file to read, absolute: the one asked for, else the first that exists; undefined when there is none. */
export async function findConfig(places: ConfigPlaces): Promise<string | undefined> {
  if (places.explicit !== undefined) return resolve(places.cwd, places.explicit);
  for (const path of toCandidates(places))
    if ((await isFile(path)) && !(await isOnlyForUs(path))) return path;
  return undefined;
}

/** A `.mcp.json` that only tells a client how to start this program configures the client and not us. */
async function isOnlyForUs(path: string): Promise<boolean> {
  if (basename(path) !== CLIENTS_FILE) return false;
  const document = parseJsonc(await readFile(path, 'utf8').catch(() => ''));
  const servers =
    'value' in document && isJsonObject(document.value) ? document.value['mcpServers'] : undefined;
  const entries = isJsonObject(servers) ? Object.values(servers) : [];
  return entries.length > 0 && entries.every((entry) => isJsonObject(entry) && startsThimble(entry));
}

/** The file of a home, absolute: the one that is there, or the one to make. */
export async function findHomeConfig(home: string): Promise<string> {
  const [first = '', ...others] = NAMES_AT_HOME.map((name) => join(home, name));
  for (const path of [first, ...others]) if (await isFile(path)) return path;
  return first;
}

/** True for a file that was come upon in a project and not named: it is not the person's own. */
export function isForeign(path: string | undefined, { explicit }: Pick<ConfigPlaces, 'explicit'>): boolean {
  return explicit === undefined && path !== undefined && basename(path) === CLIENTS_FILE;
}

/** Every file that is looked for when none is asked for, the preferred first. */
export function toCandidates({ cwd, home }: ConfigPlaces): readonly string[] {
  const here = NAMES_HERE.map((name) => resolve(cwd, name));
  return [...new Set([...here, ...NAMES_AT_HOME.map((name) => join(home, name))])];
}

/** Where a configuration is looked for, in words. */
export function describePlaces({ cwd, home }: ConfigPlaces): string {
  return `${toChoices(NAMES_HERE)} in ${cwd}, ${toChoices(NAMES_AT_HOME)} in ${home}`;
}

/** Finds and reads the configuration; without any file the defaults hold. */
export async function loadConfig(places: ConfigPlaces, parts: ConfigParts): Promise<LoadedConfig> {
  const path = await findConfig(places);
  if (path === undefined) return { path, config: createDefaultConfig(parts) };
  await checkNamed(places);
  return { path, config: await readConfig(path, parts) };
}

/** Refuses a file that was named and is not there; where it may be made, its directory has to be. */
export async function checkNamed(
  { cwd, explicit }: Pick<ConfigPlaces, 'cwd' | 'explicit'>,
  { mayMake = false }: { readonly mayMake?: boolean } = {},
): Promise<void> {
  if (explicit === undefined) return;
  const path = resolve(cwd, explicit);
  const found = await look(path);
  if (found === 'directory') throw refused(path, `${path} is a directory; --config takes a file`);
  if (found) return;
  if (!mayMake) throw refused(path, toMissing(path, 'check the path given with --config, or create it'));
  if ((await look(dirname(path))) !== 'directory')
    throw refused(path, toMissing(path, 'nor does its directory; check the path given with --config'));
}

/** What is at a path; what cannot be looked at is told by whoever reads it. */
async function look(path: string): Promise<'file' | 'directory' | undefined> {
  try {
    return (await stat(path)).isDirectory() ? 'directory' : 'file';
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? undefined : 'file';
  }
}

function refused(path: string, message: string, cause?: unknown): GatewayError {
  return new GatewayError('CONFIG_INVALID', message, { cause, data: { file: path } });
}

function toMissing(path: string, wayOut: string): string {
  return `the configuration file ${path} does not exist; ${wayOut}`;
}

/** Reads one configuration file. */
export async function readConfig(path: string, parts: ConfigParts): Promise<Config> {
  return parseConfig(toText(await readBytes(path), path), path, parts);
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    const message =
      code === 'ENOENT'
        ? toMissing(path, 'put it back')
        : `the configuration file ${path} cannot be read (${code}); check what it is and who may read it`;
    throw refused(path, message, cause);
  }
}

function toText(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const message = `the configuration file ${path} is not UTF-8 text; save it with that encoding`;
    throw refused(path, message, cause);
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** `a, b or c`. */
function toChoices(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

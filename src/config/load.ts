/** Finds the configuration file and reads it. */
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { GatewayError } from '../errors/gateway-error.ts';
import type { Config } from './config.ts';
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

/** The file to read, absolute: the one asked for, else the first that exists; undefined when there is none. */
export async function findConfig({ cwd, home, explicit }: ConfigPlaces): Promise<string | undefined> {
  if (explicit !== undefined) return resolve(cwd, explicit);
  const candidates = [
    ...['thimble.jsonc', 'thimble.json', '.mcp.json'].map((name) => resolve(cwd, name)),
    ...['thimble.jsonc', 'thimble.json'].map((name) => join(home, name)),
  ];
  for (const path of candidates) if (await isFile(path)) return path;
  return undefined;
}

/** Finds and reads the configuration; without any file the defaults hold. */
export async function loadConfig(places: ConfigPlaces, parts: ConfigParts): Promise<LoadedConfig> {
  const path = await findConfig(places);
  return { path, config: path === undefined ? createDefaultConfig(parts) : await readConfig(path, parts) };
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
        ? `the configuration file ${path} does not exist; check the path given with --config, or create the file`
        : `the configuration file ${path} cannot be read (${code}); check what it is and who may read it`;
    throw new GatewayError('CONFIG_INVALID', message, { cause, data: { file: path } });
  }
}

function toText(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const message = `the configuration file ${path} is not UTF-8 text; save it with that encoding`;
    throw new GatewayError('CONFIG_INVALID', message, { cause, data: { file: path } });
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

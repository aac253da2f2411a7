/** Which configurations may use sealed values: those a person named, keeps in the data directory, or had Thimble write references into. */
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { GatewayError } from '../errors/gateway-error.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { toDigest } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Config } from './config.ts';
import { type ConfigPlaces, isForeign } from './load.ts';
import { refersToSecrets, toReferences } from './references.ts';

/** In the data directory: one file for each configuration elsewhere that Thimble put references into, with its path. */
const FOLDER = 'own-configurations';

type Places = Pick<ConfigPlaces, 'home' | 'explicit'>;

/** True when sealed values may be given to what a configuration names; a file that was only come upon gets none. */
export function mayUseKept(path: string | undefined, places: Places): boolean {
  if (path === undefined || places.explicit !== undefined) return true;
  if (isForeign(path, places)) return false;
  return isAtHome(path, places) || isNoted(path, places);
}

/** True when a configuration that gets no sealed values refers to some. */
export function lacksKept({ upstreams }: Config): boolean {
  return upstreams.some(({ enabled, options }) => enabled && refersToSecrets(options));
}

/**
 * Looks at an edit before it is written, while nobody else can edit the file: notes the file when its references are
 * ours, and throws FILE_REFUSED when it has some already that nobody here put into it. Waits for nothing, since the
 * file is locked meanwhile.
 */
export function admitEdit(path: string, places: Places, before: JsonObject, after: JsonObject): void {
  const there = toSecrets(before);
  const added = toSecrets(after).filter((name) => !there.includes(name));
  const isOwn = mayUseKept(path, places);
  if (!isOwn && there.length > 0 && added.length > 0) throw toRefusal(path, there);
  if (added.length > 0 && !isAtHome(path, places)) note(path, places);
}

/**
 * The texts of all configurations of a home but the given one: those in the data directory, and those elsewhere that
 * Thimble put references into. Undefined when one of them cannot be read.
 */
export async function readOtherConfigurations(
  path: string,
  { home }: Pick<Places, 'home'>,
): Promise<readonly string[] | undefined> {
  try {
    const notes = (await unlessGone(readdir(join(home, FOLDER)))) ?? [];
    const noted = await Promise.all(notes.map((name) => readFile(join(home, FOLDER, name), 'utf8')));
    const beside = ((await unlessGone(readdir(home))) ?? []).filter((name) => /\.jsonc?$/.test(name));
    const files = new Set([...noted, ...beside.map((name) => join(home, name))].map(toReal));
    files.delete(toReal(path));
    const texts = await Promise.all([...files].map((file) => unlessGone(readFile(file, 'utf8'))));
    return texts.flatMap((text) => text ?? []);
  } catch {
    return undefined;
  }
}

const GONE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);

async function unlessGone<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && GONE.has(error.code)) return undefined;
    throw error;
  }
}

function isNoted(path: string, places: Places): boolean {
  try {
    const real = toReal(path);
    return readFileSync(toNote(real, places), 'utf8') === real;
  } catch {
    return false;
  }
}

function note(path: string, places: Places): void {
  const real = toReal(path);
  const file = toNote(real, places);
  makeFolder(dirname(file), 0o700);
  writeFileSync(file, real, { mode: 0o600 });
}

function toNote(real: string, { home }: Places): string {
  return join(home, FOLDER, toDigest(real, 32));
}

/** The file itself may be a link to where a person keeps such files. */
function isAtHome(path: string, { home }: Places): boolean {
  return toReal(dirname(path)) === toReal(resolve(home));
}

function toSecrets(document: JsonObject): readonly string[] {
  return toReferences(document).filter((name) => name.startsWith('secret:'));
}

function toRefusal(path: string, names: readonly string[]): GatewayError {
  const shown = names.slice(0, 3).join(', ');
  return new GatewayError(
    'FILE_REFUSED',
    `${path} refers to sealed values (${shown}) that Thimble did not put there, so it is given none and no more are put into it; look through it, and if it is yours name it: --config ${JSON.stringify(path)}`,
    { data: { file: path } },
  );
}

/** A file that is about to be made has no other name yet, but its folder may. */
function toReal(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(toReal(folder), path.slice(folder.length));
  }
}

/** The key that seals secrets at rest: given by the operator, or made once and kept in a file only its owner reads. */
import { randomBytes } from 'node:crypto';
import { link, open, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from '../errors/gateway-error.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { onceLoaded } from '../lib/once-loaded.ts';
import { toStoreError } from './store-error.ts';

/** Where a key may come from. */
export interface KeyPlaces {
  /** The value of THIMBLE_KEY: 32 bytes as hex or base64. */
  readonly given: string | undefined;
  /** Where the key file is, when none is given. */
  readonly folder: string;
  /** How many values are sealed already; a new key would open none of them. */
  countSealed?(): Promise<number>;
}

/** The ways to the key. */
export interface KeySource {
  /** The key to seal with; made when there is none and nothing sealed needs another. */
  toSeal(): Promise<Buffer>;
  /** The key to open with, or undefined when there is none: reading makes no key. */
  toOpen(): Promise<Buffer | undefined>;
}

const KEY_BYTES = 32;
const FILE_NAME = 'secret.key';
const OTHERS = 0o077;

/** Creates a source that finds the key when it is first needed, and keeps it. */
export function createKeySource({ given, folder, countSealed = async () => 0 }: KeyPlaces): KeySource {
  const path = toKeyPath(folder);
  let kept: Buffer | undefined;
  const toOpen = async () => {
    kept ??= given ? parseKey(given) : await refusingFile(path, () => readKeyFile(path));
    return kept;
  };
  const make = onceLoaded(async () => {
    const sealed = await countSealed();
    // Whoever sealed them a moment ago may have made the key since we looked.
    const found = sealed > 0 ? await toOpen() : undefined;
    if (sealed > 0 && !found) throw toMissingError(path, sealed);
    kept = found ?? (await refusingFile(path, () => createKeyFile(folder, path)));
    return kept;
  });
  return { toOpen, toSeal: async () => (await toOpen()) ?? make() };
}

/** Where the key file of a folder is. */
export function toKeyPath(folder: string): string {
  return join(folder, FILE_NAME);
}

/** What is wrong when sealed values have no key, and what to do about it. */
export function describeMissingKey(sealed: number): { readonly says: string; readonly wayOut: string } {
  const needs = sealed === 1 ? '1 sealed value needs it' : `${sealed} sealed values need it`;
  return {
    says: `${FILE_NAME} is missing, but ${needs}`,
    wayOut: 'put it back from your backup, or set THIMBLE_KEY',
  };
}

function toMissingError(path: string, sealed: number): GatewayError {
  const { says, wayOut } = describeMissingKey(sealed);
  return new GatewayError('STORE_UNAVAILABLE', `nothing was sealed: ${says}; ${wayOut}`, { data: { path } });
}

function parseKey(text: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new GatewayError(
    'CONFIG_INVALID',
    'THIMBLE_KEY is not a key: it takes 32 bytes as hex or base64, such as `openssl rand -base64 32` prints',
  );
}

async function refusingFile<T>(path: string, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    throw toStoreError(error, path);
  }
}

async function readKeyFile(path: string): Promise<Buffer | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    const { mode } = await file.stat();
    const text = (await file.readFile('utf8')).trim();
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0)
      throw toKeyFileError(path, `can be read by others; run: chmod 600 ${path}`);
    const key = Buffer.from(text, 'base64');
    if (key.length !== KEY_BYTES)
      throw toKeyFileError(path, 'holds no key; put it back from your backup, or set THIMBLE_KEY');
    return key;
  } finally {
    await file.close();
  }
}

/** Written whole before it gets its name, and never over another: two first starts end with one key. */
async function createKeyFile(folder: string, path: string): Promise<Buffer> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  makeFolder(folder, 0o700);
  await writeFile(draft, randomBytes(KEY_BYTES).toString('base64'), { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await unlink(draft);
  }
  const key = await readKeyFile(path);
  if (!key) throw toKeyFileError(path, 'vanished; try again');
  return key;
}

function toKeyFileError(path: string, what: string): GatewayError {
  return new GatewayError('STORE_UNAVAILABLE', `the key file ${path} ${what}`, { data: { path } });
}

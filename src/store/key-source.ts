/** The key that seals secrets at rest: given by the operator, or made once and kept in a file only its owner reads. */
import { randomBytes } from 'node:crypto';
import { link, mkdir, open, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from '../errors/gateway-error.ts';
import { onceLoaded } from '../lib/once-loaded.ts';
import { toStoreError } from './store-error.ts';

/** Where a key may come from. */
export interface KeyPlaces {
  /** The value of THIMBLE_KEY: 32 bytes as hex or base64. */
  readonly given: string | undefined;
  /** Where the key file is, when none is given. */
  readonly folder: string;
}

const KEY_BYTES = 32;
const FILE_NAME = 'secret.key';
const OTHERS = 0o077;

/** Creates a source that finds the key when it is first needed, and keeps it. */
export function createKeySource({ given, folder }: KeyPlaces): () => Promise<Buffer> {
  return onceLoaded(async () => (given ? parseKey(given) : findKeyFile(folder)));
}

function parseKey(text: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new GatewayError(
    'CONFIG_INVALID',
    'THIMBLE_KEY is not a key: it takes 32 bytes as hex or base64, such as `openssl rand -base64 32` prints',
  );
}

async function findKeyFile(folder: string): Promise<Buffer> {
  const path = join(folder, FILE_NAME);
  try {
    return (await readKeyFile(path)) ?? (await createKeyFile(folder, path));
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
      throw toKeyFileError(path, 'holds no key; move it away to get a new one, and log in again');
    return key;
  } finally {
    await file.close();
  }
}

/** Written whole before it gets its name, and never over another: two first starts end with one key. */
async function createKeyFile(folder: string, path: string): Promise<Buffer> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
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

/** Programs that are downloaded: over https only, bounded, and not a byte of them can run before it was checked. */
import { createHash, type Hash } from 'node:crypto';
import { chmod, type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toMessage } from '../../../errors/from-unknown.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { House } from '../../house.ts';

/** A file to fetch, and what it has to be. */
export interface Download {
  readonly name: string;
  readonly url: string;
  readonly sha256: string;
}

const MAX_BYTES = 512 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 300_000;
const PRIVATE_FILE = 0o600;
const PRIVATE_PROGRAM = 0o700;
/** How an archive begins; a bundle has to be unpacked by what knows its format. */
const ARCHIVES: readonly string[] = ['504b0304', '1f8b'];

/** Where downloaded programs lie. */
export function toProgramFolder({ home }: Pick<House, 'home'>): string {
  return join(home, 'bin');
}

/** Where a program will lie; another version of it has another place. */
export function toProgramPath({ name, sha256 }: Omit<Download, 'url'>, house: Pick<House, 'home'>): string {
  return join(toProgramFolder(house), `${name}-${sha256.slice(0, 12)}`);
}

/** Fetches a program to its place; throws INSTALL_FAILED and leaves nothing when anything is wrong with it. */
export async function download(wanted: Download, house: House): Promise<string> {
  const path = toProgramPath(wanted, house);
  const beside = `${path}.part`;
  await mkdir(toProgramFolder(house), { recursive: true, mode: 0o700 });
  try {
    house.tell(`downloading ${new URL(wanted.url).host}`);
    const head = await fetchTo(beside, wanted, house);
    if (ARCHIVES.some((start) => head.startsWith(start)))
      throw failed(wanted, 'is an archive and not a program; unpack it and use server create --command');
    await chmod(beside, PRIVATE_PROGRAM);
    await rename(beside, path);
    return path;
  } catch (error) {
    await rm(beside, { force: true });
    house.signal.throwIfAborted();
    if (error instanceof GatewayError) throw error;
    throw failed(wanted, `could not be fetched (${toMessage(error)}); try again later`);
  }
}

async function fetchTo(path: string, wanted: Download, house: House): Promise<string> {
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const { body } = await follow(wanted, house, limit);
  const hash = createHash('sha256');
  const file = await open(path, 'w', PRIVATE_FILE);
  try {
    const head = await copy(body, { file, hash, wanted, house });
    const found = hash.digest('hex');
    if (found !== wanted.sha256)
      throw failed(
        wanted,
        `is not the file that was announced (its sha256 is ${found}, expected ${wanted.sha256}); it was thrown away, tell its publisher`,
      );
    return head;
  } finally {
    await file.close();
  }
}

interface Copying {
  readonly file: FileHandle;
  readonly hash: Hash;
  readonly wanted: Download;
  readonly house: House;
}

/** Writes the bytes down and says how they begin. */
async function copy(body: Response['body'], { file, hash, wanted, house }: Copying): Promise<string> {
  let size = 0;
  let head = '';
  for await (const chunk of body ?? []) {
    house.signal.throwIfAborted();
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw failed(wanted, `is larger than ${MAX_BYTES / 1024 / 1024} MB`);
    if (head.length < 8) head += Buffer.from(chunk.subarray(0, 4)).toString('hex');
    hash.update(chunk);
    await file.write(chunk);
  }
  return head;
}

/** Follows redirects by hand: each of them has to be https, too. */
async function follow(wanted: Download, house: House, signal: AbortSignal): Promise<Response> {
  let url = wanted.url;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    if (new URL(url).protocol !== 'https:') throw failed(wanted, 'leads to an address that is not https');
    house.signal.throwIfAborted();
    const response = await house.fetch(url, { redirect: 'manual', signal });
    const location = response.headers.get('location');
    if (response.status === 200) return response;
    await response.body?.cancel();
    if (response.status < 300 || response.status >= 400 || location === null)
      throw failed(wanted, `was answered with status ${response.status}`);
    url = new URL(location, url).href;
  }
  throw failed(wanted, 'redirects in a circle');
}

function failed({ name, url }: Download, problem: string): GatewayError {
  return new GatewayError(
    'INSTALL_FAILED',
    `${name} was not installed: the file at ${new URL(url).host} ${problem}. Nothing was kept.`,
  );
}

/** Keeps contents in a directory under their digest: written aside, flushed, then moved into place whole. */
import { mkdir, open, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GatewayError } from '../../../../errors/gateway-error.ts';
import { syncFolder } from '../../../../lib/sync-folder.ts';
import { toStoreError } from '../../../../store/store-error.ts';
import type { Backend, Incoming, TakenContent } from '../backend.ts';
import { measure } from '../measure.ts';

/** Which directory, and how a link to a file is made there. */
export interface LocalOptions {
  readonly folder: string;
  /** True when the directory goes with the backend. */
  readonly isTemporary?: boolean | undefined;
  /** The address of a file at the gateway's own HTTP server, signed. */
  toFileUrl(key: string, seconds: number): string;
}

const KIND = 'local';
const ADDRESS = /^local:([0-9a-f]{64})$/;
const ATTEMPT = /^[0-9a-f]{32}$/;
const OWNER_FOLDER = 0o700;
const OWNER_FILE = 0o600;

/** Creates the backend; the directory is made when the first content comes. */
export function createLocalBackend({ folder, isTemporary, toFileUrl }: LocalOptions): Backend {
  const partialFolder = join(folder, 'partial');
  const disk = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw toStoreError(error, folder);
    }
  };
  const toPartialPath = (attempt: string) => join(partialFolder, checkAttempt(attempt));
  const toPath = (address: string): string | undefined => {
    const digest = ADDRESS.exec(address)?.[1];
    return digest && join(folder, digest.slice(0, 2), digest);
  };

  async function put({ attempt, content, limit }: Incoming): Promise<TakenContent> {
    const path = toPartialPath(attempt);
    await disk(() => mkdir(partialFolder, { recursive: true, mode: OWNER_FOLDER }));
    const file = await disk(() => open(path, 'wx', OWNER_FILE));
    const measured = measure(content, limit);
    try {
      for await (const chunk of measured) await disk(() => file.appendFile(chunk));
      await disk(() => file.sync());
      await disk(() => file.close());
    } catch (error) {
      // Closing twice is harmless; what failed first is what the caller must hear.
      await file.close().catch(() => undefined);
      await unlink(path).catch(() => undefined);
      throw error;
    }
    const { size, sha256 } = measured.result();
    return { address: `${KIND}:${sha256}`, size, sha256 };
  }

  async function keep(attempt: string, address: string): Promise<void> {
    const path = toPath(address);
    if (!path)
      throw new GatewayError('INTERNAL', `"${address}" is not an address in the directory ${folder}`);
    const shelf = dirname(path);
    const made = await mkdir(shelf, { recursive: true, mode: OWNER_FOLDER });
    // An equal content that is there already is replaced: should it be damaged, it is healed.
    await rename(toPartialPath(attempt), path);
    await syncFolder(shelf);
    if (made) await syncFolder(folder);
  }

  return {
    kind: KIND,
    shared: true,
    put,
    keep: (attempt, address) => disk(() => keep(attempt, address)),
    discard: (attempt) => disk(() => rm(toPartialPath(attempt), { force: true })),
    async get(address, range) {
      const path = toPath(address);
      const file = path && (await disk(() => open(path, 'r').catch(ignoreAbsent)));
      return file ? file.createReadStream(range ?? {}) : undefined;
    },
    async delete(address) {
      const path = toPath(address);
      if (path) await disk(() => rm(path, { force: true }));
    },
    link: async ({ key, seconds }) => toFileUrl(key, seconds),
    async close() {
      if (isTemporary) await disk(() => rm(folder, { recursive: true, force: true }));
    },
  };
}

function checkAttempt(attempt: string): string {
  if (ATTEMPT.test(attempt)) return attempt;
  throw new GatewayError('INTERNAL', 'the name of an upload attempt is not 32 hexadecimal digits');
}

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

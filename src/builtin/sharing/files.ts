/** Where the bytes of shared files lie: copies on their way out, halves on their way in, and what has arrived. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, mkdtemp, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { GatewayError } from '../../errors/gateway-error.ts';
import { syncFolder } from '../../lib/sync-folder.ts';
import type { SharedFile } from '../shared-item.ts';
import { SWEEP_MS } from './limits.ts';

/** One of the three places. */
export type FilePlace = 'outgoing' | 'arriving' | 'received';

/** The files of one principal's sharing. */
export interface Files {
  /** Copies a file as it is now, so that what is delivered is what was shared; `name` is new. */
  take(name: string, file: SharedFile): Promise<void>;
  /** The bytes of a copy from an offset on. */
  read(name: string, offset: number): AsyncIterable<Uint8Array>;
  /** Opens a half that is arriving, to go on where it stopped. */
  resume(name: string): Promise<Arriving>;
  /** Makes a whole half readable under its final name; false when it is not what was promised. */
  finish(from: string, to: string, sha256: string): Promise<boolean>;
  /** The path of something in a place. */
  path(place: FilePlace, name: string): Promise<string>;
  remove(place: FilePlace, name: string): Promise<void>;
  /** Lets a file stay for another hour, though nobody names it. */
  spare(place: FilePlace, name: string): Promise<void>;
  /** Removes everything in a place that nobody names and that is older than an hour. */
  sweep(place: FilePlace, isKept: (name: string) => boolean): Promise<void>;
}

/** A file that is being received. */
export interface Arriving {
  /** Bytes that are there. */
  readonly size: number;
  write(bytes: Uint8Array): Promise<void>;
  /** Forgets all bytes. */
  clear(): Promise<void>;
  /** Ends it, with all bytes on the disk. */
  close(): Promise<void>;
}

const FOLDER = 'sharing';
const OWNER_ONLY = 0o700;

/** Creates the files under a home; without one, in a folder of the system's. */
export function createFiles(home: string | undefined, sync: typeof syncFolder = syncFolder): Files {
  let root: Promise<string> | undefined;
  const findRoot = () => {
    root ??=
      home === undefined ? mkdtemp(join(tmpdir(), 'thimble-sharing-')) : Promise.resolve(join(home, FOLDER));
    return root;
  };
  const path = async (place: FilePlace, name: string) => {
    const parent = await findRoot();
    const folder = join(parent, place);
    const made = await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
    // A name is safe once every folder on the way to it is.
    if (made !== undefined) await sync(parent);
    if (made === parent) await sync(dirname(parent));
    return join(folder, name);
  };
  return {
    path,
    async take(name, file) {
      const target = await path('outgoing', name);
      await takeFile(target, file);
      await sync(dirname(target));
    },
    async *read(name, offset) {
      yield* createReadStream(await path('outgoing', name), { start: offset });
    },
    resume: async (name) => resumeFile(await path('arriving', name)),
    async finish(from, to, sha256) {
      const source = await path('arriving', from);
      if ((await hashFile(source)) !== sha256) return false;
      const target = await path('received', to);
      await rename(source, target);
      // It is told to be here from now on, so a power cut must not take its name away.
      await sync(dirname(target));
      return true;
    },
    remove: async (place, name) => rm(await path(place, name), { force: true }),
    async spare(place, name) {
      const now = new Date();
      await utimes(await path(place, name), now, now);
    },
    async sweep(place, isKept) {
      // Without a home the folder is new, and there is nothing to sweep.
      if (home === undefined) return;
      const folder = join(await findRoot(), place);
      for (const name of await readdir(folder).catch(() => [])) {
        if (!isKept(name)) await removeStale(join(folder, name));
      }
    },
  };
}

/** What is young may belong to somebody who is about to write its row. */
async function removeStale(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found && Date.now() - found.mtimeMs > SWEEP_MS) await rm(path, { force: true });
}

async function takeFile(path: string, file: SharedFile): Promise<void> {
  const hash = createHash('sha256');
  let size = 0;
  const target = await open(path, 'w', 0o600);
  try {
    for await (const bytes of file.open(0)) {
      hash.update(bytes);
      size += bytes.length;
      await writeAll(target, bytes);
    }
    await target.sync();
  } finally {
    await target.close();
  }
  if (size === file.size && hash.digest('hex') === file.sha256) return;
  await rm(path, { force: true });
  throw new GatewayError(
    'STORE_UNAVAILABLE',
    `the file "${file.name}" changed while it was copied, or is damaged; try again`,
  );
}

async function resumeFile(path: string): Promise<Arriving> {
  const file = await open(path, 'a', 0o600);
  let { size } = await file.stat();
  return {
    get size() {
      return size;
    },
    async write(bytes) {
      await writeAll(file, bytes);
      size += bytes.length;
    },
    async clear() {
      await file.truncate(0);
      size = 0;
    },
    async close() {
      await file.sync();
      await file.close();
    },
  };
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.length) done += (await file.write(bytes, done)).bytesWritten;
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

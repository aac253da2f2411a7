/** Sockets between processes of one person on one machine: only they can open them. */
import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, rm, rmdir } from 'node:fs/promises';
import { createServer, connect as dial, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../lib/make-folder.ts';

/** Systems refuse longer paths for sockets. */
const MAX_PATH = 100;

const RUN_FOLDER = 'run';

/** A socket that listens, and where. */
export interface Listening {
  readonly address: string;
  /** Hands over every connection, those that came before included. */
  onConnection(take: (socket: Socket) => void): void;
  /** Takes no more connections, and removes what was made for it. */
  close(): Promise<void>;
}

/** Listens at an address nobody else has; connections wait until somebody takes them. */
export async function listen(home: string): Promise<Listening> {
  const address = toAddress(home);
  const isFile = process.platform !== 'win32';
  if (isFile) await prepareFolder(dirname(address));
  const early: Socket[] = [];
  let hand = (socket: Socket): void => void early.push(socket);
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => hand(socket));
  await new Promise<void>((resolve, reject) => {
    // It stays: a connection that cannot be taken later on, as when files run out, must not end the process.
    server.on('error', reject);
    server.listen(address, resolve);
  });
  if (isFile) await chmod(address, 0o600);
  return {
    address,
    onConnection(take) {
      hand = take;
      for (const socket of early.splice(0)) take(socket);
    },
    async close() {
      server.close();
      for (const socket of early) socket.destroy();
      await removeSocket(address);
    },
  };
}

/** Removes what was made for a socket at which nobody listens any more, such as one of a process that was killed. */
export async function removeSocket(address: string): Promise<void> {
  // A pipe of Windows goes with its process.
  if (process.platform === 'win32' || !(await isKept(address))) return;
  await rm(address, { force: true });
  const folder = dirname(address);
  // One that was made for this socket alone is empty now.
  if (!isOfHome(folder)) await rmdir(folder).catch(() => {});
}

/** Makes the folder of a socket; one outside the home has to be new, since anybody could have made it before. */
async function prepareFolder(folder: string): Promise<void> {
  if (isOfHome(folder)) makeFolder(folder, 0o700);
  else await mkdir(folder, { mode: 0o700 });
}

/** False where somebody else could have put a socket: in a folder outside the home that is not ours alone, as after it was cleaned away. */
async function isKept(address: string): Promise<boolean> {
  const folder = dirname(address);
  if (process.platform === 'win32' || isOfHome(folder)) return true;
  const found = await lstat(folder).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}

const isOfHome = (folder: string) => basename(folder) === RUN_FOLDER;

function toAddress(home: string): string {
  const name = randomBytes(6).toString('hex');
  if (process.platform === 'win32') return `\\\\.\\pipe\\thimble-${name}`;
  const inHome = join(home, RUN_FOLDER, `${name}.sock`);
  return inHome.length <= MAX_PATH ? inHome : join(tmpdir(), `thimble-${name}`, 's');
}

/** What it means for a socket that nobody listens at it any more. */
const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);

/** What it means that it is another user's. */
const BARRED: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);

/** Why nobody was reached: nobody listens there any more, we may not, or somebody may listen but cannot be reached now. */
export type Unreached = 'gone' | 'barred' | 'silent';

/** Connects, or says why not. */
export async function reach(address: string): Promise<Socket | Unreached> {
  if (!(await isKept(address))) return 'gone';
  return new Promise((resolve) => {
    const socket = dial(address);
    socket.once('connect', () => resolve(socket));
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(toUnreached(code)));
  });
}

function toUnreached(code: string): Unreached {
  if (GONE.has(code)) return 'gone';
  return BARRED.has(code) ? 'barred' : 'silent';
}

/** Reads one line as JSON; undefined when none comes in time or within the limit. What follows stays in the socket. */
export function readLine(socket: Socket, patienceMs: number, limit: number): Promise<unknown> {
  return new Promise((resolve) => {
    let held = Buffer.alloc(0);
    const end = (value: unknown) => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose).pause();
      resolve(value);
    };
    const onClose = () => end(undefined);
    const onData = (chunk: Buffer) => {
      held = Buffer.concat([held, chunk]);
      const newline = held.indexOf(10);
      if (newline === -1 && held.length <= limit) return;
      const rest = held.subarray(newline + 1);
      if (newline !== -1 && rest.length > 0) socket.unshift(rest);
      end(newline === -1 ? undefined : parse(held.subarray(0, newline)));
    };
    const timer = setTimeout(onClose, patienceMs);
    socket.on('data', onData).on('close', onClose).resume();
  });
}

/** Says something as one line. */
export function say(socket: Socket, value: object): void {
  socket.write(`${JSON.stringify(value)}\n`);
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
}

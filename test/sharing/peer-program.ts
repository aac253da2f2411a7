/** People who share as programs of their own, which can be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import type { NetworkPlace } from '../../src/builtin/sharing/network/network.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Bundles the program once; beside the packages, since it needs some of them as they are. */
export async function buildPeer(): Promise<{ readonly path: string } & AsyncDisposable> {
  const parent = join(ROOT, 'node_modules/.cache');
  await mkdir(parent, { recursive: true });
  const dir = await mkdtemp(join(parent, 'sharing-peer-'));
  await build({
    cwd: ROOT,
    input: { peer: 'test/fixtures/sharing-peer.mjs' },
    platform: 'node',
    transform: { target: 'node20' },
    external: ['libsql', 'libsql/promise', 'hyperswarm', 'hyperdht'],
    logLevel: 'warn',
    output: { dir, format: 'esm', entryFileNames: '[name].mjs' },
  });
  return {
    path: join(dir, 'peer.mjs'),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

/** The answer of a tool, as the program tells it. */
export interface PeerAnswer {
  readonly text: string;
  readonly isError: boolean;
  readonly data: Readonly<Record<string, unknown>>;
  readonly now?: number;
  readonly peak?: number;
}

/** A program with a home of its own; it can be started again after every end. */
export interface PeerProgram {
  readonly home: string;
  start(): Promise<void>;
  /** Undefined when the program ended before it answered. */
  call(tool: string, args?: object): Promise<PeerAnswer | undefined>;
  /** Ends it at once, as a power cut does. */
  kill(): Promise<void>;
  /** Ends it in good order. */
  stop(): Promise<void>;
  /** Kills it and removes its home. */
  remove(): Promise<void>;
}

/** Creates a home; the program is started by `start`. */
export async function createPeerProgram(path: string, network: NetworkPlace): Promise<PeerProgram> {
  const home = await mkdtemp(join(tmpdir(), 'thimble-kill-'));
  await mkdir(join(home, 'shelf'));
  let child: ChildProcess | undefined;
  let exited: Promise<void> = Promise.resolve();
  let next = 1;
  const waiting = new Map<number, (answer: PeerAnswer | undefined) => void>();

  async function start(): Promise<void> {
    const started = spawn(process.execPath, [path, JSON.stringify({ home, network })], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child = started;
    exited = new Promise((resolve) => {
      started.once('exit', () => {
        for (const answer of waiting.values()) answer(undefined);
        waiting.clear();
        resolve();
      });
    });
    started.stdin.on('error', () => {});
    await new Promise<void>((resolve) => {
      createInterface({ input: started.stdout }).on('line', (line) => {
        const { id, ready, ...answer } = JSON.parse(line);
        if (ready) return resolve();
        waiting.get(id)?.(answer);
        waiting.delete(id);
      });
      started.once('exit', () => resolve());
    });
  }

  async function kill(): Promise<void> {
    child?.kill('SIGKILL');
    await exited;
  }

  return {
    home,
    start,
    kill,
    call(tool, args = {}) {
      const id = next++;
      return new Promise((resolve) => {
        if (child?.exitCode !== null || child.signalCode !== null) return resolve(undefined);
        waiting.set(id, resolve);
        child.stdin?.write(`${JSON.stringify({ id, tool, args })}\n`);
      });
    },
    async stop() {
      child?.stdin?.end();
      await exited;
    },
    async remove() {
      await kill();
      await rm(home, { recursive: true, force: true });
    },
  };
}

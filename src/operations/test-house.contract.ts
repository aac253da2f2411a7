/** A house in a directory of its own, for tests: real files and a real store, nobody else's machine. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConfigFile } from '../config/config-file.ts';
import { CONFIG_PARTS } from '../gateway.ts';
import { openStore } from '../store/open.ts';
import { openSecrets } from '../store/secrets.ts';
import type { Store } from '../store/store.ts';
import type { House, Running, RunningServer } from './house.ts';

/** A house that can be thrown away, with what it told. */
export interface TestHouse extends House, AsyncDisposable {
  readonly told: string[];
}

const NOTHING_RUNS: Running = {
  processes: async () => [],
  servers: async () => [],
  restart: async () => [],
};

/** A server that runs and was not used yet, but for what is said of it. */
export function toRunning(id: string, changes: Partial<RunningServer> = {}): RunningServer {
  return {
    id,
    state: 'online',
    says: '',
    calls: 0,
    running: 0,
    queued: 0,
    restarts: 0,
    stderr: [],
    ...changes,
  };
}

/** Opens one; parts given take the place of the usual ones. */
export async function openTestHouse(given: Partial<House> = {}): Promise<TestHouse> {
  const root = await mkdtemp(join(tmpdir(), 'thimble-house-'));
  const home = given.home ?? join(root, '.thimble');
  const cwd = given.cwd ?? join(root, 'work');
  const told: string[] = [];
  let opened: Promise<Store> | undefined;
  const store = () => (opened ??= openStore(join(home, 'thimble.db')));
  return {
    home,
    cwd,
    env: {},
    machine: { platform: 'linux', userHome: root },
    program: [process.execPath, '/opt/thimble/dist/main.js'],
    config: openConfigFile({ cwd, home }, CONFIG_PARTS),
    store,
    secrets: async () => openSecrets(await store()),
    running: NOTHING_RUNS,
    fetch: () => Promise.reject(new Error('this house fetches nothing')),
    now: () => new Date('2026-11-16T12:00:00Z'),
    tell: (line) => void told.push(line),
    signal: new AbortController().signal,
    told,
    ...given,
    async [Symbol.asyncDispose]() {
      await (await opened?.catch(() => undefined))?.[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true });
    },
  };
}

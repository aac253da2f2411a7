/** The house operations run in, whether a command opened it or a gateway has it. */
import { homedir } from 'node:os';
import { openConfigFile } from '../../config/config-file.ts';
import { CONFIG_PARTS } from '../../gateway.ts';
import type { House, Running, RunningServer } from '../../operations/house.ts';
import { openSecrets } from '../../store/secrets.ts';
import type { Store } from '../../store/store.ts';
import type { CommandPorts } from '../command.ts';
import { askProcesses, type Question, type ToldProcess } from '../door/ask.ts';

/** Where a house stands. */
export interface HousePlace {
  readonly home: string;
  readonly cwd: string;
  /** The value of `--config`. */
  readonly explicit: string | undefined;
  readonly env: CommandPorts['env'];
  readonly program: readonly string[];
}

/** Makes a house over a store that somebody else keeps. */
export function createHouse(
  { home, cwd, explicit, env, program }: HousePlace,
  store: () => Promise<Store>,
  { tell, signal }: Pick<House, 'tell' | 'signal'>,
): House {
  return {
    home,
    cwd,
    env,
    program,
    machine: { platform: process.platform, userHome: env['HOME'] || env['USERPROFILE'] || homedir() },
    config: openConfigFile({ cwd, home, explicit }, CONFIG_PARTS),
    store,
    secrets: async () => openSecrets(await store()),
    running: createRunning(store),
    fetch: globalThis.fetch,
    now: () => new Date(),
    tell,
    signal,
  };
}

/** Asks through the store of the house: whoever asks from inside a gateway has it open already. */
function createRunning(store: () => Promise<Store>): Running {
  const ask = async (question: Question) => askProcesses(await store(), question);
  const toServers = (told: readonly ToldProcess[]) => told.flatMap(({ servers }) => servers);
  return {
    async processes() {
      const told = await ask({ ask: 'status' });
      return told.map(({ pid, command, started_at, url }) => ({
        pid,
        command,
        startedAt: started_at,
        url: url ?? undefined,
      }));
    },
    async servers(upstream) {
      return toServers(
        await ask({ ask: 'status', ...(upstream !== undefined && { upstream, stderr: true }) }),
      );
    },
    async restart(upstream) {
      const told = await ask({ ask: 'restart', upstream });
      return told.flatMap((process) => [...withProcess(process), ...toUnknown(upstream, process)]);
    },
  };
}

function withProcess({ pid, command, servers }: ToldProcess): readonly RunningServer[] {
  return servers.map((server) => ({ ...server, process: { pid, command } }));
}

/** A process that gave no answer may have the server or not; that it was restarted there is not to be believed. */
function toUnknown(id: string, { pid, command, problem }: ToldProcess): readonly RunningServer[] {
  if (problem === undefined) return [];
  const says = `may not be restarted there: the process ${problem}`;
  const counts = { calls: 0, running: 0, queued: 0, restarts: 0 };
  return [{ id, state: 'unknown', says, ...counts, stderr: [], process: { pid, command } }];
}

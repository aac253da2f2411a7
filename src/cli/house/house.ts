/** The house operations run in, whether a command opened it or a gateway has it. */
import { homedir } from 'node:os';
import { openConfigFile } from '../../config/config-file.ts';
import { CONFIG_PARTS } from '../../gateway.ts';
import type { House, Running } from '../../operations/house.ts';
import { openSecrets } from '../../store/secrets.ts';
import type { Store } from '../../store/store.ts';
import type { CommandPorts } from '../command.ts';
import { askProcesses } from '../door/ask.ts';

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
  call: Pick<House, 'tell' | 'signal'>,
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
    ...call,
  };
}

/** Asks through the store of the house: whoever asks from inside a gateway has it open already. */
function createRunning(store: () => Promise<Store>): Running {
  const tell = async (question: 'status' | 'restart', upstream: string | undefined) => {
    const asked = { ask: question, ...(upstream !== undefined && { upstream }) };
    return askProcesses(await store(), asked);
  };
  const servers = (told: Awaited<ReturnType<typeof tell>>) => told.flatMap((process) => process.servers);
  return {
    async processes() {
      const told = await tell('status', undefined);
      return told.map(({ pid, command, started_at, url }) => ({
        pid,
        command,
        startedAt: started_at,
        url: url ?? undefined,
      }));
    },
    servers: async (upstream) => servers(await tell('status', upstream)),
    restart: async (upstream) => servers(await tell('restart', upstream)),
  };
}

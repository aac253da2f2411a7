/** `thimble ps`: the servers of every process that runs some from this home, as they stand now. */
import { setTimeout as delay } from 'node:timers/promises';
import { toDuration } from '../../lib/duration.ts';
import {
  type Command,
  type CommandInput,
  type CommandOption,
  type CommandPorts,
  JSON_OPTION,
} from '../command.ts';
import { askAll, type ToldProcess } from '../door/ask.ts';
import type { ToldServer } from '../door/questions.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { openHouse } from '../house/open-house.ts';
import { createShown } from '../house/shown.ts';
import { toBytes, toTable } from '../output/table.ts';

/** Understood by the commands that ask running processes. */
const HOME_OPTION: CommandOption = {
  flags: '--home <dir>',
  summary: 'data directory (THIMBLE_HOME, or ~/.thimble)',
};

const REFRESH_MS = 1_000;
const CLEAR = '\u001b[2J\u001b[H';

/** Prints the servers. */
export const ps: Command = {
  name: 'ps',
  words: [],
  summary: 'the servers that run from this data directory: state, process, calls, memory, last error',
  options: [HOME_OPTION, { flags: '--watch', summary: 'again every second, until Ctrl-C' }, JSON_OPTION],
  examples: ['thimble ps', 'thimble ps --watch'],
  async run(input, ports) {
    await using house = await openHouse(input, ports);
    const { home } = house;
    const look = async () => {
      const toShown = await createShown(house);
      const told = await askAll(home, ports.env, { ask: 'status' });
      return toPage(
        told.map((process) => toShownProcess(process, toShown)),
        home,
        input,
      );
    };
    if (input.options['watch'] === true) await watch(look, ports);
    else ports.print(await look());
    return EXIT_CODES.ok.code;
  },
};

/** What servers say of themselves may hold what they were given, and marks that move the cursor. */
function toShownProcess(process: ToldProcess, toShown: (text: string) => string): ToldProcess {
  return { ...process, servers: process.servers.map((server) => toShownServer(server, toShown)) };
}

function toShownServer(server: ToldServer, toShown: (text: string) => string): ToldServer {
  const { id, state, says, lastError } = server;
  return {
    ...server,
    ...{ id: toShown(id), state: toShown(state), says: toShown(says) },
    ...(lastError && { lastError: { ...lastError, message: toShown(lastError.message) } }),
  };
}

async function watch(look: () => Promise<string>, ports: CommandPorts): Promise<void> {
  let stopped = false;
  void ports.stopped.then(() => {
    stopped = true;
  });
  while (!stopped) {
    ports.print(`${CLEAR}${await look()}`);
    await Promise.race([delay(REFRESH_MS), ports.stopped]);
  }
}

function toPage(processes: readonly ToldProcess[], home: string, input: CommandInput): string {
  if (input.options['json'] === true) return JSON.stringify(processes, null, 2);
  if (processes.length === 0)
    return `Nothing runs from ${home}. Start it with thimble serve, or let a client start thimble stdio.`;
  return processes
    .map((process) =>
      [
        `thimble ${process.command}, process ${process.pid}, since ${process.started_at}`,
        process.problem === undefined ? toServers(process.servers) : `It ${process.problem}.`,
      ].join('\n'),
    )
    .join('\n\n');
}

function toServers(servers: readonly ToldServer[]): string {
  return toTable(
    ['server', 'state', 'pid', 'up', 'calls', 'running', 'waiting', 'restarts', 'memory', 'last error'],
    servers.map((server) => [
      server.id,
      server.state,
      server.pid === undefined ? '' : String(server.pid),
      server.uptimeMs === undefined ? '' : toDuration(server.uptimeMs),
      String(server.calls),
      String(server.running),
      String(server.queued),
      String(server.restarts),
      server.memoryBytes === undefined ? '' : toBytes(server.memoryBytes),
      server.lastError ? `${server.lastError.message} (${toDuration(server.lastError.agoMs)} ago)` : '',
    ]),
    ['left', 'left', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'left'],
  );
}

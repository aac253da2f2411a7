/** `thimble ps`: the servers of every process that runs some from this home, as they stand now. */
import { setTimeout as delay } from 'node:timers/promises';
import { findHome } from '../../config/home.ts';
import { toDuration } from '../../lib/duration.ts';
import {
  type Command,
  type CommandInput,
  type CommandOption,
  type CommandPorts,
  JSON_OPTION,
  textOption,
} from '../command.ts';
import { askAll, type ToldProcess } from '../door/ask.ts';
import type { ToldServer } from '../door/questions.ts';
import { toBytes, toTable } from '../output/table.ts';

/** Understood by the commands that ask running processes. */
export const HOME_OPTION: CommandOption = {
  flags: '--home <dir>',
  summary: 'data directory (THIMBLE_HOME, or ~/.thimble)',
};

const REFRESH_MS = 1_000;
const CLEAR = '\u001b[2J\u001b[H';

/** Prints the servers. */
export const ps: Command = {
  name: 'ps',
  words: [],
  summary: 'the servers that run from this home: state, process, calls, memory, last error',
  options: [HOME_OPTION, { flags: '--watch', summary: 'again every second, until Ctrl-C' }, JSON_OPTION],
  examples: ['thimble ps', 'thimble ps --watch'],
  async run(input, ports) {
    const home = findHome({ flag: textOption(input, 'home'), env: ports.env });
    const look = async () => toPage(await askAll(home, ports.env, { ask: 'status' }), home, input);
    if (input.options['watch'] !== true) {
      ports.print(await look());
      return 0;
    }
    await watch(look, ports);
    return 0;
  },
};

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
        toServers(process.servers),
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

/** Reaches servers that are programs on this machine and speak over their standard streams. */
import * as z from 'zod';
import { createHide } from '../../../lib/hide-values.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { CloseReason } from '../../../wire/channel.ts';
import { createLineChannel, DEFAULT_LINE_LIMIT } from '../../../wire/line-channel.ts';
import { maxMessageBytes, readOptions } from '../../read-options.ts';
import type { Connector, ConnectorPorts, Link } from '../../upstream.ts';
import { settlesWithin } from '../../within.ts';
import { type Child, startChild } from './child.ts';

const OPTIONS = z.strictObject({
  command: z.string().min(1).describe('the program to start; looked up on PATH, never run through a shell'),
  args: z.array(z.string()).optional().describe('its arguments, one each'),
  env: z
    .record(z.string(), z.string())
    .optional()
    .describe('variables it sees, beside HOME, PATH and the like; references in their text are resolved'),
  cwd: z.string().optional().describe('the directory it starts in'),
  keepDetached: z
    .boolean()
    .optional()
    .describe(
      'leave running what it starts in a session of its own, such as a tmux server or a browser for you; on Linux that ends with it otherwise',
    ),
  maxMessageBytes,
});

const EXIT_MS = 1_000;

/** The connector for programs. */
export const stdio: Connector = {
  kind: 'stdio',
  summary: 'a program on this machine, over its standard streams',
  options: OPTIONS,
  spawns: true,
  recognises: (options) => typeof options['command'] === 'string',
  open,
};

async function open(raw: JsonObject, ports: ConnectorPorts): Promise<Link> {
  ports.signal.throwIfAborted();
  const options = readOptions(OPTIONS, raw);
  const child = await startChild({
    command: options.command,
    args: options.args ?? [],
    env: { ...ports.baseEnv, ...options.env },
    cwd: options.cwd,
    clock: ports.clock,
    keepDetached: options.keepDetached ?? false,
    processes: ports.processes,
    hide: createHide([...Object.values(options.env ?? {}), ...(ports.secrets ?? [])]),
  });
  let badLines = 0;
  const channel = createLineChannel({
    input: child.streams.stdout,
    output: child.streams.stdin,
    lineLimit: options.maxMessageBytes ?? DEFAULT_LINE_LIMIT,
    onNoise: () => {
      badLines += 1;
    },
    explain: (reason) => explainEnd(child, reason, ports),
    onClose: child.stop,
  });
  return { channel, notes: () => ({ badLines, stderr: [...child.stderr.lines], pid: child.pid }) };
}

/** A closed pipe mostly means that the child has just ended; its exit says more than the pipe. */
async function explainEnd(
  child: Child,
  reason: CloseReason,
  { clock }: ConnectorPorts,
): Promise<CloseReason> {
  if (await settlesWithin(child.ended, EXIT_MS, clock)) return child.ended;
  void child.stop();
  return reason;
}

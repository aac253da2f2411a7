/** `server logs`: the last lines running servers wrote to stderr. */
import * as z from 'zod';
import { toVisibleLine } from '../../../lib/visible.ts';
import { defineOperation } from '../../operation.ts';
import { readHide } from '../../secrets/kept-values.ts';
import { findNamed } from '../../servers/find-named.ts';
import { NAME } from './inputs.ts';

/** Shows what a server wrote. */
export const logs = defineOperation({
  noun: 'server',
  verb: 'logs',
  summary: 'what a running server wrote to stderr',
  input: z.object({
    name: NAME,
    limit: z.int().min(1).max(200).default(50).describe('how many results or lines'),
  }),
  output: z.object({
    name: z.string(),
    /** False when nothing has it running. */
    running: z.boolean(),
    state: z.string().optional(),
    lines: z.array(z.string()),
    /** The same by the process that wrote it, where there are several. */
    processes: z.array(z.object({ pid: z.int().optional(), lines: z.array(z.string()) })).optional(),
  }),
  effects: 'reads',
  words: ['name'],
  examples: [{ name: 'memory' }, { name: 'memory', limit: 20 }],
  async run({ name: word, limit }, house) {
    const { id, name } = await findNamed(word, house);
    const servers = await house.running.servers(id);
    // A program may write down what it was given.
    const hide = await readHide(house);
    const toLast = (lines: readonly string[]) => lines.slice(-limit).map((line) => toVisibleLine(hide(line)));
    const processes = servers.map(({ pid, stderr }) => ({
      ...(pid !== undefined && { pid }),
      lines: toLast(stderr),
    }));
    const [first] = servers;
    return {
      name,
      running: first !== undefined,
      ...(first && { state: hide(first.says) }),
      lines: toLast(servers.flatMap(({ stderr }) => stderr)),
      ...(processes.length > 1 && { processes }),
    };
  },
  toText({ name, running, state, lines, processes }) {
    if (!running) return `Nothing runs ${name} now; a call through the gateway starts it.`;
    if (lines.length === 0) return `${name} ${state}; it wrote nothing to stderr.`;
    if (!processes) return lines.join('\n');
    const blocks = processes.map(({ pid, lines: own }, at) => {
      const of = pid === undefined ? `${at + 1} of ${processes.length}` : String(pid);
      return [`${name}, process ${of}:`, ...(own.length > 0 ? own : ['it wrote nothing to stderr.'])];
    });
    return blocks.map((block) => block.join('\n')).join('\n\n');
  },
});

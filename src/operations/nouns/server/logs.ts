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
  }),
  effects: 'reads',
  words: ['name'],
  examples: [{ name: 'memory' }, { name: 'memory', limit: 20 }],
  async run({ name: word, limit }, house) {
    const { id, name } = await findNamed(word, house);
    const servers = await house.running.servers(id);
    const lines = servers.flatMap(({ stderr }) => stderr).slice(-limit);
    // A program may write down what it was given.
    const hide = await readHide(house);
    const [first] = servers;
    return {
      name,
      running: first !== undefined,
      ...(first && { state: hide(first.says) }),
      lines: lines.map((line) => toVisibleLine(hide(line))),
    };
  },
  toText({ name, running, state, lines }) {
    if (!running) return `Nothing runs ${name} now; a call through the gateway starts it.`;
    if (lines.length === 0) return `${name} ${state}; it wrote nothing to stderr.`;
    return lines.join('\n');
  },
});

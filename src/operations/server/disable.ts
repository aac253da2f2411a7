/** `server disable`: switches a server, or one tool of it, off. */
import * as z from 'zod';
import { defineOperation } from '../operation.ts';
import { NAME, TOOL } from './inputs.ts';
import { flip, look } from './switch.ts';

/** Switches off. */
export const disable = defineOperation({
  noun: 'server',
  verb: 'disable',
  summary: 'switch a server or one tool of it off',
  input: z.object({ name: NAME, tool: TOOL }),
  output: z.object({
    name: z.string(),
    tool: z.string().optional(),
    changed: z.boolean(),
    file: z.string().optional(),
  }),
  effects: 'writes',
  words: ['name'],
  examples: [{ name: 'memory' }, { name: 'memory', tool: 'delete_memory' }],
  async run({ name, tool }, house) {
    const { server, isSo } = await look({ name, tool, on: false }, house);
    const common = { name: server.name, ...(tool !== undefined && { tool }) };
    if (isSo) return { ...common, changed: false };
    const file = await flip({ name, tool, on: false }, house);
    return { ...common, changed: true, file };
  },
  toText({ name, tool, changed, file }) {
    const what = tool === undefined ? name : `the tool ${tool} of ${name}`;
    return changed ? `${what} is switched off, in ${file}.` : `${what} is off already.`;
  },
});

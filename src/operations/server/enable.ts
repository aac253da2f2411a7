/** `server enable`: switches a server, or one tool of it, on. */
import * as z from 'zod';
import { defineOperation } from '../operation.ts';
import { describeEntry } from './describe-entry.ts';
import { NAME, TOOL } from './inputs.ts';
import { flip, look } from './switch.ts';

/** Switches on. */
export const enable = defineOperation({
  noun: 'server',
  verb: 'enable',
  summary: 'switch a server or one tool of it on',
  input: z.object({ name: NAME, tool: TOOL }),
  output: z.object({
    name: z.string(),
    tool: z.string().optional(),
    changed: z.boolean(),
    file: z.string().optional(),
  }),
  effects: 'acts',
  words: ['name'],
  examples: [{ name: 'memory' }, { name: 'memory', tool: 'delete_memory' }],
  // Somebody had a reason to switch it off, and what is on may be started by anybody's call.
  async plan({ name, tool }, house) {
    const { server, isSo } = await look({ name, tool, on: true }, house);
    if (isSo) return undefined;
    const what = tool === undefined ? `the server ${server.name}` : `the tool ${tool} of ${server.name}`;
    return { summary: `switch on ${what}`, details: describeEntry(server.entry ?? {}) };
  },
  async run({ name, tool }, house) {
    const { server, isSo } = await look({ name, tool, on: true }, house);
    const common = { name: server.name, ...(tool !== undefined && { tool }) };
    if (isSo) return { ...common, changed: false };
    const file = await flip({ name, tool, on: true }, house);
    return { ...common, changed: true, file };
  },
  toText({ name, tool, changed, file }) {
    const what = tool === undefined ? name : `the tool ${tool} of ${name}`;
    return changed ? `${what} is switched on, in ${file}.` : `${what} is on already.`;
  },
});

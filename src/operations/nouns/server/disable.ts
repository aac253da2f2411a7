/** `server disable`: switches a server, or one tool of it, off. */
import * as z from 'zod';
import { defineOperation } from '../../operation.ts';
import { NAME, TOOL } from './inputs.ts';
import { SWITCHED, toSwitchText, turn } from './switch.ts';

/** Switches off. */
export const disable = defineOperation({
  noun: 'server',
  verb: 'disable',
  summary: 'switch a server or one tool of it off',
  input: z.object({ name: NAME, tool: TOOL }),
  output: SWITCHED,
  effects: 'writes',
  words: ['name'],
  short: 'disable',
  examples: [{ name: 'memory' }, { name: 'memory', tool: 'delete_memory' }],
  run: ({ name, tool }, house) => turn({ name, tool, on: false }, house),
  toText: (switched) => toSwitchText(switched, false),
});

/** `server enable`: switches a server, or one tool of it, on. */
import * as z from 'zod';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { describeWidening } from '../../profiles/share-reach.ts';
import type { Configured } from '../../servers/server-entries.ts';
import { describeEntry } from '../../shown/describe-entry.ts';
import { NAME, TOOL } from './inputs.ts';
import { look, SWITCHED, toSwitchEdits, toSwitchText, turn } from './switch.ts';

/** Switches on. */
export const enable = defineOperation({
  noun: 'server',
  verb: 'enable',
  summary: 'switch a server or one tool of it on',
  input: z.object({ name: NAME, tool: TOOL }),
  output: SWITCHED,
  effects: 'acts',
  words: ['name'],
  short: 'enable',
  examples: [{ name: 'memory' }, { name: 'memory', tool: 'delete_memory' }],
  // Somebody had a reason to switch it off, and what is on may be started by anybody's call.
  async plan({ name, tool }, house) {
    const { server, isSo } = await look({ name, tool, on: true }, house);
    if (isSo) return undefined;
    const what = tool === undefined ? `the server ${server.name}` : `the tool ${tool} of ${server.name}`;
    const edits = toSwitchEdits(await house.config.read(), { name, tool, on: true });
    const widening = await describeWidening(edits, house);
    return {
      summary: `switch on ${what}`,
      details: [...(await toDetails(server, tool, house)), ...widening],
    };
  },
  run: ({ name, tool }, house) => turn({ name, tool, on: true }, house),
  toText: (switched) => toSwitchText(switched, true),
});

async function toDetails(
  server: Configured,
  tool: string | undefined,
  house: House,
): Promise<readonly string[]> {
  const { name, builtin, entry } = server;
  const { path } = await house.config.read();
  const what = tool === undefined ? name : `the tool ${tool} of ${name}`;
  return [
    builtin
      ? `${name} is built in: it runs inside Thimble, and clients see its tools`
      : `${name} is a server of yours`,
    ...describeEntry(entry ?? {}, { sealed: false }),
    `calls may use ${what} from then on${builtin ? '' : ', which starts it'}`,
    `writes: ${path}`,
  ];
}

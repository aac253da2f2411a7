/** `client disconnect`: Thimble out of a client's file again, and what it took the place of back in. */
import { join } from 'node:path';
import * as z from 'zod';
import type { ClientFileChange, Clients } from '../../../clients/clients.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { defineOperation } from '../../operation.ts';
import { toChangeDetails, toShownDiff } from '../../shown/client-change.ts';
import { findNamed, openHouseClients } from './house-clients.ts';
import { CLIENT_NAME } from './inputs.ts';

const INPUT = z.object({
  name: CLIENT_NAME,
  undo: z.boolean().default(false).describe("take back Thimble's last write instead"),
});

const CHANGED = z.object({
  key: z.string(),
  file: z.string(),
  /** True when the file itself is gone, since it was not there before. */
  fileRemoved: z.boolean(),
  problem: z.string().optional(),
});

/** Disconnects clients. */
export const disconnect = defineOperation({
  noun: 'client',
  verb: 'disconnect',
  summary: 'take Thimble out, put back what was there',
  input: INPUT,
  output: z.object({
    clients: z.array(CHANGED),
    undo: z.boolean(),
    /** Where copies of the files are kept. */
    copies: z.string(),
  }),
  effects: 'acts',
  words: ['name'],
  examples: [{ name: 'cursor' }, { name: 'all' }, { name: 'codex', undo: true }],
  async plan(input, house) {
    const clients = openHouseClients(house);
    const keys = await toKeys(input, clients);
    const preview = (key: string) => (input.undo ? clients.previewUndo(key) : clients.previewDisconnect(key));
    const looked = await Promise.all(keys.map((key) => attempt(key, keys.length > 1, () => preview(key))));
    const changes = looked.flatMap((one) => ('problem' in one ? [] : [one]));
    const refused = looked.flatMap((one) =>
      'problem' in one ? [`${one.key} is left out: ${one.problem}`] : [],
    );
    return {
      summary: input.undo
        ? `take back the last change of ${keys.join(', ')}`
        : `disconnect ${keys.join(', ')} from Thimble`,
      details: [...refused, ...changes.flatMap(toChangeDetails)],
      diffs: changes.flatMap(toShownDiff),
    };
  },
  async run(input, house) {
    const clients = openHouseClients(house);
    const keys = await toKeys(input, clients);
    const write = (key: string) => (input.undo ? clients.undo(key) : clients.disconnect(key));
    const done: z.input<typeof CHANGED>[] = [];
    for (const key of keys) {
      const one = await attempt(key, keys.length > 1, () => write(key));
      const file = (await clients.place(key)).path;
      const isGone = 'after' in one && one.after === undefined;
      const problem = 'problem' in one ? { problem: one.problem } : {};
      done.push({ key, file, fileRemoved: isGone, ...problem });
    }
    return { clients: done, undo: input.undo, copies: join(house.home, 'backups', 'clients') };
  },
  succeeded: ({ clients }) => clients.every(({ problem }) => problem === undefined),
  toText({ clients, undo, copies }) {
    const lines = clients.map(({ key, file, fileRemoved, problem }) => {
      if (problem !== undefined) return `${key} was left out: ${problem}`;
      if (fileRemoved) return `${key}: ${file} is gone again, as before`;
      return undo ? `${key}: the last change of ${file} is taken back` : `${key}: disconnected in ${file}`;
    });
    const kept = `Copies of the files lie in ${copies}; they hold what the files held, secrets too. Remove them when all is well.`;
    return [...lines, ...(undo ? [] : [kept])].join('\n');
  },
});

/** One file that cannot be changed is no reason to leave the others; alone it is an error. */
async function attempt(
  key: string,
  isOneOfMany: boolean,
  act: () => Promise<ClientFileChange>,
): Promise<ClientFileChange | { readonly key: string; readonly problem: string }> {
  try {
    return await act();
  } catch (error) {
    if (!isOneOfMany || !(error instanceof GatewayError)) throw error;
    return { key, problem: error.message };
  }
}

/** Those named; of all, those that are connected. */
async function toKeys({ name, undo }: z.output<typeof INPUT>, clients: Clients): Promise<readonly string[]> {
  const named = await findNamed(clients, name);
  if (name.trim().toLowerCase() !== 'all' || undo) return named.map(({ key }) => key);
  const connected = named.filter((client) => client.connected);
  if (connected.length > 0) return connected.map(({ key }) => key);
  throw new GatewayError('NAME_UNKNOWN', 'no client is connected to Thimble; thimble client list shows them');
}

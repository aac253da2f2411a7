/** `client disconnect`: Thimble out of a client's file again, and what it took the place of back in. */
import * as z from 'zod';
import type { ClientFileChange, Clients } from '../../clients/clients.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { defineOperation } from '../operation.ts';
import { findNamed, openHouseClients } from './house-clients.ts';
import { CLIENT_NAME } from './inputs.ts';
import { toShownDiff } from './shown-change.ts';

const INPUT = z.object({
  name: CLIENT_NAME,
  undo: z.boolean().default(false).describe("take back Thimble's last write instead"),
});

const CHANGED = z.object({
  key: z.string(),
  file: z.string(),
  /** True when the file was taken away, since it was not there before. */
  removed: z.boolean(),
});

/** Disconnects clients. */
export const disconnect = defineOperation({
  noun: 'client',
  verb: 'disconnect',
  summary: 'take Thimble out, put back what was there',
  input: INPUT,
  output: z.object({ clients: z.array(CHANGED), undo: z.boolean() }),
  effects: 'acts',
  words: ['name'],
  examples: [{ name: 'cursor' }, { name: 'all' }, { name: 'codex', undo: true }],
  async plan(input, house) {
    const clients = openHouseClients(house);
    const keys = await toKeys(input, clients);
    const changes = await Promise.all(
      keys.map((key) => (input.undo ? clients.previewUndo(key) : clients.previewDisconnect(key))),
    );
    return {
      summary: input.undo
        ? `take back the last change of ${keys.join(', ')}`
        : `disconnect ${keys.join(', ')} from Thimble`,
      details: changes.flatMap((change) => [`write ${change.path}:`, ...toShownDiff(change)]),
    };
  },
  async run(input, house) {
    const clients = openHouseClients(house);
    const done: ClientFileChange[] = [];
    for (const key of await toKeys(input, clients))
      done.push(await (input.undo ? clients.undo(key) : clients.disconnect(key)));
    const changed = done.map(({ key, path, after }) => ({ key, file: path, removed: after === undefined }));
    return { clients: changed, undo: input.undo };
  },
  toText: ({ clients, undo }) =>
    clients
      .map(({ key, file, removed }) => {
        if (removed) return `${key}: ${file} is gone again, as before`;
        return undo ? `${key}: the last change of ${file} is taken back` : `${key}: disconnected in ${file}`;
      })
      .join('\n'),
});

/** Those named; of all, those that are connected. */
async function toKeys({ name, undo }: z.output<typeof INPUT>, clients: Clients): Promise<readonly string[]> {
  const named = await findNamed(clients, name);
  if (name.trim().toLowerCase() !== 'all' || undo) return named.map(({ key }) => key);
  const connected = named.filter((client) => client.connected);
  if (connected.length > 0) return connected.map(({ key }) => key);
  throw new GatewayError('NAME_UNKNOWN', 'no client is connected to Thimble; thimble client list shows them');
}

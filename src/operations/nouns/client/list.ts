/** `client list`: the AI clients of this machine, their servers, and which of them are connected. */
import * as z from 'zod';
import { findClient } from '../../../clients/known/registry.ts';
import { defineOperation } from '../../operation.ts';
import { count, toColumns } from '../../shown/words.ts';
import { openHouseClients } from './house-clients.ts';
import { ANY_CLIENT_NAME } from './inputs.ts';

const SERVER = z.object({
  name: z.string(),
  enabled: z.boolean(),
  /** A few words without a secret. */
  what: z.string(),
});

const CLIENT = z.object({
  key: z.string(),
  title: z.string(),
  file: z.string(),
  found: z.boolean(),
  connected: z.boolean(),
  servers: z.array(SERVER),
  problem: z.string().optional(),
  /** What else of its file is worth knowing. */
  remark: z.string().optional(),
});

/** What `client list` tells. */
export const LISTED = z.object({ clients: z.array(CLIENT) });

/** A client as `client list` tells of it. */
export type ListedClient = z.output<typeof CLIENT>;

/** Lists clients. */
export const list = defineOperation({
  noun: 'client',
  verb: 'list',
  summary: 'the clients, their servers, which are connected',
  input: z.object({ name: ANY_CLIENT_NAME }),
  output: LISTED,
  effects: 'reads',
  words: ['name'],
  formerly: ['manage_client'],
  examples: [{}, { name: 'cursor' }],
  async run({ name = 'all' }, house) {
    const all = name.trim().toLowerCase() === 'all';
    const keys = all ? undefined : new Set(name.split(',').map((word) => findClient(word.trim()).key));
    const statuses = (await openHouseClients(house).list()).filter(({ key }) => keys?.has(key) ?? true);
    const clients = statuses.map(({ key, title, path, found, connected, servers, problem, remark }) => ({
      ...{ key, title, file: path, found, connected },
      servers: servers.map(({ name: server, enabled, summary }) => ({
        name: server,
        enabled,
        what: summary,
      })),
      ...(problem !== undefined && { problem }),
      ...(remark !== undefined && { remark }),
    }));
    return { clients };
  },
  toText({ clients }) {
    const [only] = clients;
    if (clients.length === 1 && only) return toPage(only);
    const found = clients.filter((client) => client.found);
    const rows = found.map((client) => [
      client.key,
      toState(client),
      count(client.servers.length, 'server'),
      client.file,
    ]);
    const missing = clients.filter((client) => !client.found).map(({ key }) => key);
    const absent = missing.length > 0 ? `Not found here: ${missing.join(', ')}.` : '';
    if (found.length === 0)
      return `${absent}\nIf one is elsewhere: thimble client config <client> --path <file>`;
    const open = found.filter(({ connected, problem }) => !connected && problem === undefined);
    const next = open.length > 0 ? `Connect with: thimble client connect ${open[0]?.key} --replace` : '';
    const faults = found.flatMap(({ title, problem, remark }) => [
      ...(problem === undefined ? [] : [problem]),
      ...(remark === undefined ? [] : [`${title}: ${remark}`]),
    ]);
    const table = toColumns([['CLIENT', 'STATE', 'SERVERS', 'FILE'], ...rows]);
    return [table, '', ...faults, absent, next].filter((line, at) => line !== '' || at === 1).join('\n');
  },
});

function toState({ connected, problem }: z.input<typeof CLIENT>): string {
  if (problem !== undefined) return 'unreadable';
  return connected ? 'connected' : 'not connected';
}

function toPage(client: z.input<typeof CLIENT>): string {
  const { title, file, found, servers, problem, remark } = client;
  const rows = servers.map(({ name, enabled, what }) => [`  ${name}`, enabled ? 'on' : 'off', what]);
  return [
    `${title}: ${found ? toState(client) : 'not found on this machine'}`,
    `File: ${file}`,
    ...(problem === undefined ? [] : [problem]),
    servers.length === 0 ? 'It has no servers.' : `Servers:\n${toColumns(rows)}`,
    ...(remark === undefined ? [] : [remark]),
  ].join('\n');
}

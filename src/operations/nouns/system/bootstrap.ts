/** `system bootstrap`: everything in order at once, made of other operations: servers gathered, clients connected. */
import * as z from 'zod';
import { openClients } from '../../../clients/clients.ts';
import { ensureConfiguration } from '../../files/ensure-configuration.ts';
import type { House } from '../../house.ts';
import { defineOperation, type PreparedOperation } from '../../operation.ts';
import { findOperation } from '../registry.ts';

const INPUT = z.object({
  client: z.string().min(1).max(200).default('all').describe('client keys with commas, or all'),
  keep: z.boolean().default(false).describe("leave the clients' own servers in them"),
});

/** What is read of the outcome of `client connect`. */
const CONNECTED = z.object({
  clients: z.array(z.object({ key: z.string(), problem: z.string().optional() })),
});

/** Sets everything up. */
export const bootstrap = defineOperation({
  noun: 'system',
  verb: 'bootstrap',
  summary: 'gather the servers of all clients, connect them',
  input: INPUT,
  output: z.object({
    /** The configuration in use. */
    file: z.string(),
    connected: z.array(z.string()),
    /** Clients that were left as they are, since their files cannot be used. */
    refused: z.array(z.string()),
    says: z.string(),
  }),
  effects: 'acts',
  formerly: ['bootstrap_system'],
  examples: [{}, { client: 'cursor', keep: true }],
  async plan(input, house) {
    const { path, text } = await house.config.read();
    const plan = await (await toConnecting(input, house))?.plan(house);
    if (!plan && text !== undefined) return undefined;
    return {
      summary: 'set up Thimble on this machine',
      details: [...(text === undefined ? [`write ${path}`] : []), ...(plan?.details ?? [NO_CLIENTS])],
      ...(plan?.diffs && { diffs: plan.diffs }),
    };
  },
  async run(input, house) {
    const connecting = await toConnecting(input, house);
    const outcome = await connecting?.run(house);
    if (!outcome) await ensureConfiguration(house);
    const { path } = await house.config.read();
    const { clients } = CONNECTED.parse(outcome?.output ?? { clients: [] });
    const pick = (isRefused: boolean) =>
      clients.filter(({ problem }) => (problem !== undefined) === isRefused).map(({ key }) => key);
    return { file: path, connected: pick(false), refused: pick(true), says: outcome?.text ?? NO_CLIENTS };
  },
  succeeded: ({ refused }) => refused.length === 0,
  toText: ({ file, says }) =>
    [`The configuration is ${file}.`, says, 'Look at everything with: thimble doctor'].join('\n'),
});

const NO_CLIENTS =
  'No AI client was found that could be connected. Connect one by hand as thimble serve shows, or name its file: thimble client config <client> --path <file>';

/** Connecting whom is meant; undefined when nobody is there. */
async function toConnecting(
  { client, keep }: z.output<typeof INPUT>,
  house: House,
): Promise<PreparedOperation | undefined> {
  const found = (await openClients(house).list()).filter((one) => one.found && one.scope === 'user');
  if (client === 'all' && found.length === 0) return undefined;
  const connect = await findOperation('client', 'connect');
  return connect.prepare({ name: client, replace: !keep });
}

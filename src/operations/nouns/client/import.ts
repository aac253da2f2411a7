/** `client import`: the servers of clients into our configuration, each once. */
import * as z from 'zod';
import { GATHERED } from '../../intake/gather-once.ts';
import { carryOutIntake, describeIntake } from '../../intake/intake.ts';
import { defineOperation } from '../../operation.ts';
import { count } from '../../shown/words.ts';
import { findNamed, openHouseClients } from './house-clients.ts';
import { planImport } from './import-servers.ts';
import { ANY_CLIENT_NAME } from './inputs.ts';
import { toImportDetails, toImportLine } from './words.ts';

/** Imports servers. */
export const importServers = defineOperation({
  noun: 'client',
  verb: 'import',
  summary: "copy clients' servers into the configuration",
  input: z.object({
    name: ANY_CLIENT_NAME,
    dryRun: z.boolean().default(false).describe('only show'),
  }),
  output: z.object({ file: z.string(), dryRun: z.boolean(), servers: z.array(GATHERED) }),
  // A server that is configured will be started, whatever file it came from.
  effects: 'acts',
  words: ['name'],
  formerly: ['manage_client'],
  examples: [{ name: 'cursor', dryRun: true }, { name: 'all' }],
  async plan({ name = 'all', dryRun }, house) {
    const planned = await planImport(await findNamed(openHouseClients(house), name), house);
    const { size } = planned.entries;
    if (dryRun || size === 0) return undefined;
    return {
      summary: `take ${count(size, 'server')} of ${name === 'all' ? 'all clients' : name} over`,
      details: [
        ...toImportDetails(planned),
        ...(await describeIntake(house, planned.intake)),
        `writes: ${planned.intake.file}`,
      ],
    };
  },
  async run({ name = 'all', dryRun }, house) {
    const plan = await planImport(await findNamed(openHouseClients(house), name), house);
    if (!dryRun) await carryOutIntake(house, plan.intake);
    return { file: plan.intake.file, dryRun, servers: [...plan.gathered] };
  },
  toText({ file, dryRun, servers }) {
    const added = servers.filter(({ result }) => result === 'new').length;
    const head = dryRun
      ? `${count(added, 'server')} would be written to ${file}.`
      : `${count(added, 'server')} written to ${file}. Clients go on using their own until connected with --replace.`;
    return [head, ...servers.map((server) => `  ${toImportLine(server)}`)].join('\n');
  },
});

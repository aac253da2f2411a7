/** `system doctor`: looks at everything Thimble needs, and says what to do where something is wrong. */
import * as z from 'zod';
import { fromUnknown } from '../../../errors/from-unknown.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { bad, type Check, type Finding } from './check.ts';
import { clients } from './checks/clients.ts';
import { backups, home, key, registryCache, store } from './checks/home.ts';
import { clock, disk, node, port } from './checks/machine.ts';
import { names } from './checks/names.ts';
import { configuration, servers } from './checks/servers.ts';

/** Every check, in the order they are told. */
const CHECKS: readonly Check[] = [
  node,
  home,
  disk,
  clock,
  store,
  key,
  configuration,
  names,
  port,
  servers,
  clients,
  registryCache,
  backups,
];

const OUTPUT = z.object({
  /** False when something is in the way. */
  healthy: z.boolean(),
  checks: z.array(
    z.object({
      about: z.string(),
      verdict: z.enum(['ok', 'warn', 'bad']),
      says: z.string(),
      fix: z.string().optional(),
    }),
  ),
});

/** Looks at everything. */
export const doctor = defineOperation({
  noun: 'system',
  verb: 'doctor',
  summary: 'check everything, with the fix for what is wrong',
  input: z.object({}),
  output: OUTPUT,
  effects: 'reads',
  short: 'doctor',
  examples: [{}],
  async run(_input, house) {
    const checks: Finding[] = [];
    for (const check of CHECKS) {
      house.signal.throwIfAborted();
      checks.push(...(await look(check, house)));
    }
    return { healthy: checks.every(({ verdict }) => verdict !== 'bad'), checks };
  },
  succeeded: ({ healthy }) => healthy,
  toText({ healthy, checks }) {
    const wide = Math.max(...checks.map(({ about }) => about.length));
    const lines = checks.map(({ about, verdict, says, fix }) => {
      const next = `\n${' '.repeat(wide + 7)}`;
      const way = fix === undefined ? '' : `${next}-> ${fix}`;
      return `${verdict.padEnd(5)} ${about.padEnd(wide)} ${says.replaceAll('\n', next)}${way}`;
    });
    return [...lines, toVerdict(healthy, checks)].join('\n');
  },
});

/** One check that cannot be made is no reason to leave out the others. */
async function look(check: Check, house: House): Promise<readonly Finding[]> {
  try {
    return await check.look(house);
  } catch (error) {
    const says = `could not be checked: ${fromUnknown(error).message}`;
    return [bad(check.about, says, 'correct what stands above first, then try again')];
  }
}

function toVerdict(healthy: boolean, checks: readonly { readonly verdict: string }[]): string {
  const count = (verdict: string) => checks.filter((check) => check.verdict === verdict).length;
  if (!healthy)
    return `${count('bad')} of ${checks.length} ${count('bad') === 1 ? 'needs' : 'need'} attention.`;
  return count('warn') > 0 ? `All works; ${count('warn')} could be better.` : 'All is well.';
}

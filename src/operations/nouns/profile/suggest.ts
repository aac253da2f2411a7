/** `profile suggest`: which servers belong in a profile for the project at hand, and why. */
import { basename } from 'node:path';
import * as z from 'zod';
import { readUsage } from '../../../ledger/usage.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { readProject } from '../../project-facts/facts.ts';
import { findHelp } from '../../project-facts/helpful-servers.ts';
import { readManifests } from '../../servers/known-manifests.ts';
import { toShellWord } from '../../shown/quote.ts';

const OUTPUT = z.object({
  /** A name for the profile, taken from the directory. */
  name: z.string(),
  servers: z.array(z.object({ name: z.string(), because: z.array(z.string()) })),
  /** What no configured server is for. */
  search: z.array(z.object({ query: z.string(), because: z.string() })),
});

type Suggestion = z.input<typeof OUTPUT>;

const DAYS = 30;
/** Fewer calls than this were tried, not used. */
const MIN_CALLS = 3;
const MAX_USED = 8;

/** Suggests a profile. */
export const suggest = defineOperation({
  noun: 'profile',
  verb: 'suggest',
  summary: 'which servers suit this project, and why',
  input: z.object({}),
  output: OUTPUT,
  effects: 'reads',
  formerly: ['suggest_profile'],
  examples: [{}],
  async run(_input, house) {
    const { config } = await house.config.read();
    const upstreams = config.upstreams.filter(({ enabled }) => enabled);
    const { findings } = await readProject(house.cwd, house.signal);
    const { fitting, lacking } = findHelp(findings, upstreams, await readManifests({ upstreams }, house));
    const reasons = new Map<string, string[]>(fitting.map(({ id, because }) => [id, [...because]]));
    for (const [id, calls] of await countCalls(house)) {
      if (!upstreams.some((upstream) => upstream.id === id)) continue;
      reasons.set(id, [...(reasons.get(id) ?? []), `called ${calls} times in the last ${DAYS} days`]);
    }
    const names = new Map(upstreams.map(({ id, name }) => [id as string, name]));
    return {
      name: toName(house.cwd),
      servers: [...reasons].map(([id, because]) => ({ name: names.get(id) ?? id, because })),
      search: lacking.map(({ search, because }) => ({ query: search, because })),
    };
  },
  toText: toPage,
});

/** How often each server was called, the most used first. */
async function countCalls(house: House): Promise<readonly (readonly [string, number])[]> {
  const rows = await readUsage(await house.store(), { days: DAYS, now: house.now() });
  const counts = new Map<string, number>();
  for (const { upstream, calls } of rows) counts.set(upstream, (counts.get(upstream) ?? 0) + calls);
  return [...counts]
    .filter(([, calls]) => calls >= MIN_CALLS)
    .sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1))
    .slice(0, MAX_USED);
}

/** The directory's name as a profile's: `My Shop` is my-shop. */
function toName(cwd: string): string {
  const name = basename(cwd)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name.slice(0, 40) || 'project';
}

function toPage({ name, servers, search }: Suggestion): string {
  const lines = servers.map((server) => `${server.name}: ${server.because.join('; ')}`);
  if (servers.length === 0)
    lines.push('No configured server is plainly for this project, and none was used much lately.');
  else {
    const words = servers.map((server) => toShellWord(server.name)).join(' ');
    lines.push(`Make it a profile with: thimble profile create ${name} ${words}`);
  }
  if (search.length > 0) lines.push('Worth looking for:');
  for (const { query, because } of search) lines.push(`  thimble search ${query}: ${because}`);
  return lines.join('\n');
}

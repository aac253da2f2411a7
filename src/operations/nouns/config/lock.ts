/** Compares what servers offer here with what they offered where a file comes from. */
import * as z from 'zod';
import type { JsonObject } from '../../../model/json.ts';
import type { House } from '../../house.ts';
import { readManifests, toFingerprints } from '../../servers/known-manifests.ts';
import { probe } from '../../servers/probe.ts';
import type { Portable } from './portable.ts';

/** How one server compares. */
export const COMPARISON = z.object({
  server: z.string(),
  /** `unknown` until it was started here once. */
  state: z.enum(['same', 'differs', 'unknown']),
  /** What differs: `changed x`, `gone x`, `new x`; or why nothing is known. */
  details: z.array(z.string()),
});

/** How one server compares. */
export type Comparison = z.input<typeof COMPARISON>;

/** Compares every locked server that is configured here with what is known of it. */
export async function compareKnown(house: House, { lock = {} }: Portable): Promise<readonly Comparison[]> {
  const { config } = await house.config.read();
  const upstreams = config.upstreams.filter(({ core, name }) => !core && Object.hasOwn(lock, name));
  const manifests = await readManifests({ upstreams }, house);
  return upstreams.map(({ id, name }) => {
    const manifest = manifests.get(id);
    const details = ['it was not started here yet; import again with verify to compare'];
    if (!manifest) return { server: name, state: 'unknown', details };
    return compare(name, lock[name] ?? {}, toFingerprints(manifest));
  });
}

/** Starts every locked server once to compare it. */
export async function compareLive(
  house: House,
  { lock = {} }: Portable,
  entries: Readonly<Record<string, JsonObject>>,
): Promise<readonly Comparison[]> {
  const compared: Comparison[] = [];
  for (const [server, entry] of Object.entries(entries)) {
    if (!Object.hasOwn(lock, server)) continue;
    house.tell(`starting ${server} once to compare what it offers`);
    const seen = await probe(server, entry, house);
    if (seen.ok) compared.push(compare(server, lock[server] ?? {}, toFingerprints(seen.manifest)));
    else compared.push({ server, state: 'unknown', details: [`it ${seen.problem}`] });
  }
  return compared;
}

function compare(
  server: string,
  there: Readonly<Record<string, string>>,
  here: Readonly<Record<string, string>>,
): Comparison {
  const names = [...new Set([...Object.keys(there), ...Object.keys(here)])].sort();
  const details = names.flatMap((name) => {
    const [theirs, ours] = [toOwn(there, name), toOwn(here, name)];
    if (theirs === ours) return [];
    if (ours === undefined) return [`gone ${name}`];
    return [theirs === undefined ? `new ${name}` : `changed ${name}`];
  });
  return { server, state: details.length === 0 ? 'same' : 'differs', details };
}

function toOwn(record: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** One line each, for people. */
export function toLockLines(compared: readonly Comparison[]): readonly string[] {
  return compared.map(({ server, state, details }) => {
    if (state === 'same') return `${server} offers the same here`;
    const what = details.slice(0, 12).join(', ');
    return state === 'differs' ? `${server} offers something else here: ${what}` : `${server}: ${what}`;
  });
}

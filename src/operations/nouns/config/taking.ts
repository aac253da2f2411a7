/** Servers and settings of another document on their way into the configuration. */
import type { ConfigContent, ConfigEdit } from '../../../config/config-file.ts';
import { isJsonObject, type JsonObject, toCanonicalJson } from '../../../model/json.ts';
import type { Secrets } from '../../../store/secrets.ts';
import type { House } from '../../house.ts';
import type { Incoming } from '../../intake/find-fault.ts';
import { describeIntake, type Intake, prepareIntake } from '../../intake/intake.ts';
import { type Merged, mergeByName, toMergeLines } from '../../intake/merge-by-name.ts';
import { sealEach } from '../../secrets/draft-secrets.ts';
import { describeServers } from '../../shown/config-servers.ts';
import { at, describeValue, hideDocument, toChangeLines } from '../../shown/documents.ts';
import { findMissing, findNeeds, type Need } from './references.ts';

/** What is to be taken in. */
export interface Taking {
  readonly servers: readonly Incoming[];
  /** Sections beside the servers. */
  readonly settings: JsonObject;
  /** True when what differs is overwritten. */
  readonly force: boolean;
  /** Further edits, made from the document as it is. */
  more?(content: ConfigContent): readonly ConfigEdit[];
}

/** What would come of it. */
export interface Taken {
  readonly intake: Intake;
  readonly merged: readonly Merged[];
  /** Sections that would be set, and those that are set here differently and stay. */
  readonly set: readonly string[];
  readonly kept: readonly string[];
  /** The change for a person to look at; empty when nothing would change. */
  readonly lines: readonly string[];
}

/** Works it out; writes nothing. */
export async function prepareTaking(house: House, taking: Taking): Promise<Taken> {
  let outcome: Pick<Taken, 'merged' | 'set' | 'kept'> = { merged: [], set: [], kept: [] };
  const intake = await prepareIntake(house, async (content, secrets) => {
    const { merged, edits } = await mergeByName(content, taking.servers, secrets, taking.force);
    const sections = await mergeSettings(content.value, taking, secrets);
    outcome = { merged, set: sections.set, kept: sections.kept };
    return [...edits, ...sections.edits, ...(taking.more?.(content) ?? [])];
  });
  const { file, text, afterText, before, after } = intake;
  const lines = toChangeLines(file, { text, value: before }, { text: afterText, value: after });
  return { ...outcome, intake, lines };
}

/** What a person has to agree to: what becomes of each server, what it runs or dials in full, and the change. */
export async function describeTaking(house: House, taken: Taken): Promise<readonly string[]> {
  const { merged, set, intake, lines } = taken;
  const servers = describeServers(intake.before, intake.after);
  return [
    ...toMergeLines(merged),
    ...servers,
    ...(servers.length > 0 ? ['a gateway that runs may start these servers at once'] : []),
    ...set.flatMap((key) => describeValue(key, hideDocument(intake.after)[key])),
    ...(await describeIntake(house, intake)),
    ...lines,
  ];
}

/** The servers that were taken in, as they stand in the configuration afterwards. */
export function toEntries({ intake, merged }: Taken): Record<string, JsonObject> {
  return Object.fromEntries(
    merged.flatMap(({ name, outcome }) => {
      const entry = outcome === 'skipped' ? undefined : at(intake.after, ['mcpServers', name]);
      return isJsonObject(entry) ? [[name, entry] as const] : [];
    }),
  );
}

/** What they refer to and this machine lacks; what was only pencilled in counts as there. */
export async function findLacking(house: House, taken: Taken): Promise<Need[]> {
  const needs = findNeeds({ mcpServers: toEntries(taken) });
  return findMissing(needs, await taken.intake.secrets.names(), house.env);
}

async function mergeSettings(
  ours: JsonObject,
  { settings, force }: Taking,
  secrets: Secrets,
): Promise<{ edits: readonly ConfigEdit[]; set: readonly string[]; kept: readonly string[] }> {
  const edits: ConfigEdit[] = [];
  const kept: string[] = [];
  for (const [key, given] of Object.entries(settings)) {
    if (given === undefined) continue;
    const value = key === 'builtin' ? await sealEach(given, secrets) : given;
    const own = ours[key];
    if (own !== undefined && toCanonicalJson(own) === toCanonicalJson(value)) continue;
    if (own === undefined || force) edits.push({ path: [key], value });
    else kept.push(key);
  }
  return { edits, set: edits.map(({ path }) => String(path[0])), kept };
}

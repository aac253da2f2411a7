/** Servers and settings from elsewhere on their way into the configuration: worked out first, written at once. */
import { basename } from 'node:path';
import type { ConfigContent, ConfigEdit } from '../../../config/config-file.ts';
import { isJsonObject, type JsonObject, toCanonicalJson } from '../../../model/json.ts';
import { saveBackup } from '../../files/backups.ts';
import { refuseForeignEdits } from '../../files/own-file.ts';
import type { House } from '../../house.ts';
import { describeWidening } from '../../profiles/share-reach.ts';
import { type DraftSecrets, draftSecrets, sealEach } from '../../secrets/draft-secrets.ts';
import { toDocument } from './change.ts';
import { describeCopy, describeValue } from './consent.ts';
import { at, hideDocument, toChangeLines } from './documents.ts';
import { type Incoming, type Merged, mergeServers, toMergeLines } from './merge.ts';
import { findMissing, findNeeds, type Need } from './references.ts';
import { describeServers } from './shown-servers.ts';

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
  /** The configuration it goes into. */
  readonly file: string;
  readonly merged: readonly Merged[];
  /** Sections that would be set, and those that are set here differently and stay. */
  readonly set: readonly string[];
  readonly kept: readonly string[];
  /** The change for a person to look at; empty when nothing would change. */
  readonly lines: readonly string[];
  readonly text: string | undefined;
  readonly edits: readonly ConfigEdit[];
  readonly secrets: DraftSecrets;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Works it out; writes nothing. */
export async function prepareTaking(house: House, taking: Taking): Promise<Taken> {
  const content = await house.config.read();
  const secrets = draftSecrets(await house.secrets());
  const { merged, edits } = await mergeServers(content, taking.servers, secrets, taking.force);
  const sections = await mergeSettings(content.value, taking, secrets);
  const all = [...edits, ...sections.edits, ...(taking.more?.(content) ?? [])];
  refuseForeignEdits(content.path, all);
  const after = all.length > 0 ? toDocument((await house.config.preview(all)).after) : content.value;
  return {
    file: content.path,
    merged,
    set: sections.set,
    kept: sections.kept,
    lines: toChangeLines(content.path, content.value, after),
    text: content.text,
    edits: all,
    secrets,
    before: content.value,
    after,
  };
}

/** What a person has to agree to: what becomes of each server, what it runs or dials in full, and the change. */
export async function describeTaking(house: House, taken: Taken): Promise<readonly string[]> {
  const { merged, set, before, after, edits, text, lines } = taken;
  const servers = describeServers(before, after);
  return [
    ...toMergeLines(merged),
    ...servers,
    ...(servers.length > 0 ? ['a gateway that runs may start these servers at once'] : []),
    ...set.flatMap((key) => describeValue(key, hideDocument(after)[key])),
    ...(await describeWidening(edits, house)),
    ...(text === undefined || edits.length === 0 ? [] : [describeCopy(house)]),
    ...lines,
  ];
}

/** Writes it, with a copy of the file as it was; gives the path of the copy. */
export async function carryOut(
  house: House,
  { file, text, edits, secrets, after }: Taken,
): Promise<string | undefined> {
  if (edits.length === 0) return undefined;
  const backup = text === undefined ? undefined : await saveBackup(house, basename(file), text);
  const saved = await secrets.commit(after);
  try {
    await house.config.edit(() => edits);
  } catch (error) {
    await saved.undo();
    throw error;
  }
  return backup;
}

/** The servers that were taken in, as they stand in the configuration afterwards. */
export function toEntries({ after, merged }: Taken): Record<string, JsonObject> {
  return Object.fromEntries(
    merged.flatMap(({ name, outcome }) => {
      const entry = outcome === 'skipped' ? undefined : at(after, ['mcpServers', name]);
      return isJsonObject(entry) ? [[name, entry] as const] : [];
    }),
  );
}

/** What they refer to and this machine lacks; what was only pencilled in counts as there. */
export async function findLacking(house: House, taken: Taken): Promise<Need[]> {
  const needs = findNeeds({ mcpServers: toEntries(taken) });
  return findMissing(needs, await taken.secrets.names(), house.env);
}

async function mergeSettings(
  ours: JsonObject,
  { settings, force }: Taking,
  secrets: DraftSecrets,
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

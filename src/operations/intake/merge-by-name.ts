/** Servers of a document that is like ours: the same name means the same server, and nothing of another definition is overwritten unless told to. */
import * as z from 'zod';
import type { ConfigContent, ConfigEdit } from '../../config/config-file.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { Secrets } from '../../store/secrets.ts';
import { sealSecrets } from '../secrets/secret-values.ts';
import { isSameDefinition } from '../servers/same-server.ts';
import { toName } from '../shown/quote.ts';
import { findFault, type Incoming } from './find-fault.ts';

/** What becomes of one: `kept` is ours of that name that stays although theirs differs. */
export const MERGED = z.object({
  name: z.string(),
  outcome: z.enum(['added', 'same', 'tagged', 'replaced', 'kept', 'skipped']),
  /** Why, where it is not plain. */
  because: z.string().optional(),
});

/** What becomes of one. */
export type Merged = z.infer<typeof MERGED>;

/** Everything that would be done. */
export interface Merge {
  readonly merged: readonly Merged[];
  readonly edits: readonly ConfigEdit[];
}

/** Works out what becomes of each; secrets go into the ones given. */
export async function mergeByName(
  { value }: Pick<ConfigContent, 'value'>,
  incoming: readonly Incoming[],
  secrets: Secrets,
  force = false,
): Promise<Merge> {
  const ours = new Map<string, JsonObject>(
    Object.entries(isJsonObject(value['mcpServers']) ? value['mcpServers'] : {}).flatMap(([name, entry]) =>
      isJsonObject(entry) ? [[name, entry] as const] : [],
    ),
  );
  const merged: Merged[] = [];
  const edits: ConfigEdit[] = [];
  for (const { name, entry: given } of incoming) {
    const fault = findFault({ name, entry: given });
    if (fault !== undefined) {
      merged.push({ name, outcome: 'skipped', because: fault });
      continue;
    }
    const entry = await sealSecrets(name, given, secrets);
    const step = mergeOne(name, entry, ours, force);
    merged.push(step.merged);
    if (step.edit) edits.push(step.edit);
    if (step.entry) ours.set(step.merged.name, step.entry);
  }
  return { merged, edits };
}

interface Step {
  readonly merged: Merged;
  readonly edit?: ConfigEdit;
  /** What stands there afterwards. */
  readonly entry?: JsonObject;
}

function mergeOne(
  name: string,
  entry: JsonObject,
  ours: ReadonlyMap<string, JsonObject>,
  force: boolean,
): Step {
  const own = ours.get(name);
  if (own && isSameDefinition(own, entry)) return addTags(name, name, own, entry);
  if (!own) {
    const [twin] = [...ours].filter(([, other]) => isSameDefinition(other, entry));
    if (twin) return addTags(name, twin[0], twin[1], entry);
    return { merged: { name, outcome: 'added' }, edit: { path: ['mcpServers', name], value: entry }, entry };
  }
  if (!force) return { merged: { name, outcome: 'kept', because: 'yours is defined differently' } };
  const tags = unite(own, entry);
  const next = { ...entry, ...(tags.length > 0 && { tags }) };
  return {
    merged: { name, outcome: 'replaced' },
    edit: { path: ['mcpServers', name], value: next },
    entry: next,
  };
}

/** The same server: only the profiles it is in may be more. */
function addTags(name: string, known: string, own: JsonObject, entry: JsonObject): Step {
  const because = known === name ? {} : { because: `it is here as ${known}` };
  const tags = unite(own, entry);
  if (tags.length === toTags(own).length) return { merged: { name, outcome: 'same', ...because } };
  return {
    merged: { name: known, outcome: 'tagged', ...because },
    edit: { path: ['mcpServers', known, 'tags'], value: tags },
    entry: { ...own, tags },
  };
}

function unite(own: JsonObject, entry: JsonObject): readonly string[] {
  return [...new Set([...toTags(own), ...toTags(entry)])];
}

function toTags({ tags }: JsonObject): readonly string[] {
  return Array.isArray(tags) ? tags.map(String) : [];
}

/** One line each, for people. */
export function toMergeLines(merged: readonly Merged[]): readonly string[] {
  const words: Readonly<Record<Merged['outcome'], string>> = {
    added: 'added',
    same: 'is here already',
    tagged: 'is here already; put into its profiles',
    replaced: 'replaced',
    kept: 'left as it is here',
    skipped: 'left out',
  };
  return merged.map(
    ({ name, outcome, because }) => `${toName(name)}: ${words[outcome]}${because ? ` (${because})` : ''}`,
  );
}

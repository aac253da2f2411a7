/** The servers a change of the configuration is about, as lines a person agrees to; none of it is cut short. */
import { isJsonObject, type JsonObject, toCanonicalJson } from '../../model/json.ts';
import { toEntryLine } from './describe-entry.ts';
import { toName } from './quote.ts';

/** What each server that is new or other than before will run or dial. */
export function describeServers(before: JsonObject, after: JsonObject): readonly string[] {
  const known = readEntries(before);
  return [...readEntries(after)]
    .filter(([name, entry]) => toDefinition(entry) !== toDefinition(known.get(name)))
    .map(([name, entry]) => `${toName(name)} ${toEntryLine(entry, { sealed: false })}`);
}

/** The servers that are there before and not after. */
export function describeRemoved(before: JsonObject, after: JsonObject): readonly string[] {
  return toNewNames(after, before).map((name) => `removes the server ${toName(name)}`);
}

/** The names that are there after and not before. */
export function toNewNames(before: JsonObject, after: JsonObject): readonly string[] {
  const known = readEntries(before);
  return [...readEntries(after).keys()].filter((name) => !known.has(name));
}

/** Why no server is called so: what cannot be seen makes one name look like another. Spaces and the like are fine. */
export function findNameFault(name: string): string | undefined {
  return /[\p{C}\p{Zl}\p{Zp}]/u.test(name) ? 'its name has control or invisible characters' : undefined;
}

function readEntries({ mcpServers }: JsonObject): ReadonlyMap<string, JsonObject> {
  const entries = Object.entries(isJsonObject(mcpServers) ? mcpServers : {});
  return new Map(entries.map(([name, entry]) => [name, isJsonObject(entry) ? entry : {}]));
}

/** Which profiles it is in does not make it another. */
function toDefinition(entry: JsonObject | undefined): string | undefined {
  if (!entry) return undefined;
  const { tags: _tags, ...rest } = entry;
  return toCanonicalJson(rest);
}

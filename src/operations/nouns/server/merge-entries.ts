/** An entry that takes the place of another: how it runs is new, what people chose for it stays. */
import { isJsonObject, type JsonObject } from '../../../model/json.ts';

/** Everything that says how a server is reached, and so comes whole from the new entry. */
const REACH: ReadonlySet<string> = new Set([
  'type',
  'command',
  'args',
  'url',
  'version',
  'cwd',
  'env',
  'headers',
]);

/** The new way to run it, with the tags, limits and further variables of the old entry. */
export function mergeEntries(before: JsonObject, after: JsonObject): JsonObject {
  const chosen = Object.fromEntries(Object.entries(before).filter(([key]) => !REACH.has(key)));
  const same = 'url' in before === 'url' in after;
  return {
    ...after,
    ...chosen,
    ...(same && 'cwd' in before && { cwd: before['cwd'] }),
    ...(same && mergeMembers('env', before, after)),
    ...(same && mergeMembers('headers', before, after)),
  };
}

function mergeMembers(key: 'env' | 'headers', before: JsonObject, after: JsonObject): JsonObject {
  const [old, now] = [before[key], after[key]];
  const merged = { ...(isJsonObject(old) ? old : {}), ...(isJsonObject(now) ? now : {}) };
  return Object.keys(merged).length > 0 ? { [key]: merged } : {};
}

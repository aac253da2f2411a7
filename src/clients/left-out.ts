/** What of a client's entry has no place in ours, by name. */
import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../model/json.ts';

/** Members that say something and are not used. */
export function findWhole(native: JsonObject, used: ReadonlySet<string | undefined>): readonly string[] {
  return Object.keys(native).filter((member) => !used.has(member) && saysSomething(native[member]));
}

/** Members beside the one a path leads to, and those of it that are no texts. */
export function findLost(native: JsonObject, path: readonly string[]): readonly string[] {
  return path.flatMap((_part, index) => {
    const at = path.slice(0, index + 1);
    const held = valueAt(native, at);
    const next = path[index + 1];
    const members =
      isJsonObject(held) || Array.isArray(held) ? Object.entries<JsonValue | undefined>(held) : [];
    return members.flatMap(([name, value]) => {
      const isLost = next === undefined ? typeof value === 'object' : name !== next || !isJsonObject(value);
      return isLost && saysSomething(value) ? [[...at, name].join('.')] : [];
    });
  });
}

function saysSomething(value: JsonValue | undefined): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== false && value !== '';
}

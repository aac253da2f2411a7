/** Secrets inside a variable that is JSON itself, as some servers take their headers. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { looksSecret } from '../secret-values.ts';

/** The whole value of each variable and header that has a secret somewhere in it. */
export function findBuried(entry: JsonObject): readonly string[] {
  return [entry['env'], entry['headers']]
    .flatMap((members) => (isJsonObject(members) ? Object.values(members) : []))
    .filter((value) => typeof value === 'string' && holdsSecret('', parse(value)))
    .map(String);
}

function holdsSecret(name: string, value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return looksSecret(name, value);
  if (Array.isArray(value)) return value.some((item: JsonValue) => holdsSecret(name, item));
  return isJsonObject(value) && Object.entries(value).some(([key, member]) => holdsSecret(key, member));
}

function parse(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Follows references inside a schema. */
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';

/** What a reference such as `#/$defs/name` leads to in its schema; undefined when that is nothing, or outside. */
export function followPointer(reference: string, root: JsonObject): JsonValue | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let at: JsonValue | undefined = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** Whatever a server wrote is no reason to fail. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

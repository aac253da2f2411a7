/** JSON as TypeScript sees it: the shapes that cross every wire. */

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object; unknown members are kept, never stripped. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** True for a plain JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path, own members only; undefined when there is none. */
export function valueAt(value: JsonValue | undefined, path: readonly PropertyKey[]): JsonValue | undefined {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Readonly<Record<PropertyKey, JsonValue>>)[key];
  }
  return current;
}

/** Serialises with sorted keys, so equal values have equal text. */
export function toCanonicalJson(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${toCanonicalJson(value[key])}`);
  return `{${members.join(',')}}`;
}

/** True when both are the same whatever the order of their members, or neither is there. */
export function isSameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return (a === undefined) === (b === undefined) && toCanonicalJson(a) === toCanonicalJson(b);
}

/** Turns a zod schema into the JSON Schema (draft 2020-12) a client reads, without what only costs tokens. */
import * as z from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';

/** Limits from here on are kept as well, but no model needs to be told of them beforehand. */
const UNMENTIONED_LENGTH = 100;

/** What may come in, or what goes out. */
export function toJsonSchema(schema: z.ZodObject, side: 'input' | 'output'): JsonObject {
  return prune(z.toJSONSchema(schema, { target: 'draft-2020-12', io: side }) as JsonObject);
}

function prune(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([key, value]) => !isNoise(key, value));
  return Object.fromEntries(kept.map(([key, value]) => [key, pruneValue(key, value)]));
}

function pruneValue(key: string, value: JsonValue | undefined): JsonValue | undefined {
  // A default or an enum holds values, and under `properties` the keys are names.
  if (key === 'default' || key === 'enum' || key === 'const') return value;
  if (Array.isArray(value)) return value.map((item) => (isJsonObject(item) ? prune(item) : item));
  if (!isJsonObject(value)) return value;
  if (key !== 'properties') return prune(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isJsonObject(inner) ? prune(inner) : inner]),
  );
}

function isNoise(key: string, value: JsonValue | undefined): boolean {
  switch (key) {
    case '$schema':
    // Unknown members are refused by the server itself, with the nearest name.
    case 'additionalProperties':
      return key === '$schema' || value === false;
    case 'maxLength':
      return typeof value === 'number' && value >= UNMENTIONED_LENGTH;
    case 'minLength':
      return value === 1;
    case 'minimum':
      return value === Number.MIN_SAFE_INTEGER;
    case 'maximum':
      return value === Number.MAX_SAFE_INTEGER;
    default:
      return false;
  }
}

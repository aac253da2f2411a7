/** The texts inside a text that is JSON, as programs take their options in one variable or argument. */
import { isJsonObject, type JsonValue } from '../../model/json.ts';

/** One text and the name of the member it stands under; items of a list have the name of the list. */
export type Member = readonly [name: string, value: string];

/** Longer ones are data, not options. */
const MAX_LENGTH = 100_000;

/** Every text in it, however deep; none when it is no JSON. */
export function membersIn(text: string): readonly Member[] {
  const trimmed = text.trim();
  if (!/^[{[]/.test(trimmed) || trimmed.length > MAX_LENGTH) return [];
  try {
    return flatten('', JSON.parse(trimmed) as JsonValue);
  } catch {
    return [];
  }
}

function flatten(name: string, value: JsonValue): readonly Member[] {
  if (typeof value === 'string') return [[name, value]];
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => flatten(name, item));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : flatten(key, member)));
}

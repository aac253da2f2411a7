/** Plain text answers of the gateway's own tools. */
import type { JsonObject } from '../model/json.ts';

/** A result of one text. */
export function toText(text: string, meta?: JsonObject): JsonObject {
  return { content: [{ type: 'text', text }], ...(meta ? { _meta: meta } : {}) };
}

/** A result that says what was wrong and what to do; the model reads it and tries again. */
export function toFault(text: string): JsonObject {
  return { ...toText(text), isError: true };
}

/** Tells whoever uses a name of an older system how to ask for the same now. */
export function sayRenamed(name: string, now: string): string {
  return `"${name}" is called differently here: use ${now}`;
}

/** The key of an instance: what is kept of a server is found again by what its configuration comes to. */
import { toDigest } from '../model/ids.ts';
import { type JsonObject, toCanonicalJson } from '../model/json.ts';

/** A digest of the kind and the options, with references resolved as far as that is possible. */
export function toInstanceKey(kind: string, options: JsonObject): string {
  return toDigest(toCanonicalJson({ kind, options }), 32);
}

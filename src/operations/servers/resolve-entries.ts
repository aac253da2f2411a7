/** Entries with their references resolved, as far as that is possible: to compare them, never to show them. */
import { createResolver, refersToSecrets } from '../../config/references.ts';
import type { JsonObject } from '../../model/json.ts';
import type { House } from '../house.ts';

/** Resolves entries of a document; the kept values are opened only where something refers to them. */
export async function createEntryResolver(
  document: JsonObject,
  house: Pick<House, 'secrets' | 'env'>,
): Promise<(entry: JsonObject) => JsonObject> {
  const secrets = refersToSecrets(document) ? await (await house.secrets()).all() : new Map<string, string>();
  const resolver = createResolver(house.env, () => secrets);
  return (entry) => {
    const resolution = resolver(entry);
    return resolution.ok ? resolution.options : entry;
  };
}

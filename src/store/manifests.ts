/** Manifests in the database. */
import type { Kysely } from 'kysely';
import { isJsonObject } from '../model/json.ts';
import { ALL_KINDS } from '../model/kinds.ts';
import type { Manifest } from '../model/manifest.ts';
import type { Tables } from './schema.ts';
import type { ManifestStore } from './store.ts';

/** Keeps manifests in a migrated database. */
export function createManifestStore(db: Kysely<Tables>): ManifestStore {
  return {
    async load(instanceKey) {
      const row = await db
        .selectFrom('manifests')
        .select('manifest')
        .where('instance_key', '=', instanceKey)
        .executeTakeFirst();
      return row && { manifest: parseManifest(row.manifest) };
    },
    async saveAttempt(instanceKey, upstream) {
      await db
        .insertInto('manifests')
        .values({
          instance_key: instanceKey,
          upstream,
          manifest: NO_MANIFEST,
          seen_at: new Date().toISOString(),
        })
        .onConflict((conflict) => conflict.column('instance_key').doNothing())
        .execute();
    },
    async save(instanceKey, upstream, manifest) {
      const row = { upstream, manifest: JSON.stringify(manifest), seen_at: new Date().toISOString() };
      await db
        .insertInto('manifests')
        .values({ instance_key: instanceKey, ...row })
        .onConflict((conflict) => conflict.column('instance_key').doUpdateSet(row))
        .execute();
    },
    async remove(instanceKey) {
      await db.deleteFrom('manifests').where('instance_key', '=', instanceKey).execute();
    },
    async removeAll(upstream, except = new Set()) {
      await db
        .deleteFrom('manifests')
        .where('upstream', '=', upstream)
        .where('instance_key', 'not in', [...except])
        .execute();
    },
  };
}

/** Stands where a manifest would, while none was ever read. */
export const NO_MANIFEST = 'null';

/** Reads stored text; undefined when it is no manifest, since asking the upstream again is always possible. */
export function parseManifest(text: string): Manifest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isManifest(value) ? value : undefined;
}

function isManifest(value: unknown): value is Manifest {
  if (!isJsonObject(value)) return false;
  const { hello, lists } = value;
  if (!isJsonObject(hello) || !isJsonObject(lists)) return false;
  if (hello['era'] !== 'legacy' && hello['era'] !== 'modern') return false;
  if (typeof hello['protocolVersion'] !== 'string') return false;
  if (!isJsonObject(hello['serverInfo']) || !isJsonObject(hello['capabilities'])) return false;
  return ALL_KINDS.every((kind) => {
    const list = lists[kind];
    return Array.isArray(list) && list.every(isJsonObject);
  });
}

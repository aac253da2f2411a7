/** Credentials in the database, sealed. */
import type { Kysely } from 'kysely';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import type { Cipher } from './cipher.ts';
import type { Tables } from './schema.ts';
import type { CredentialStore } from './store.ts';

/** Keeps credentials in a migrated database. */
export function createCredentialStore(db: Kysely<Tables>, cipher: Cipher): CredentialStore {
  return {
    async load(instanceKey) {
      const rows = await db
        .selectFrom('credentials')
        .select(['issuer', 'sealed'])
        .where('instance_key', '=', instanceKey)
        .orderBy('saved_at', 'desc')
        .execute();
      const opened = rows.map(async ({ issuer, sealed }) => {
        const secret = parseSecret(await cipher.open(sealed, toAbout(instanceKey, issuer)));
        return secret ? [{ issuer, secret }] : [];
      });
      return (await Promise.all(opened)).flat();
    },
    async save(instanceKey, upstream, { issuer, secret }) {
      const sealed = await cipher.seal(JSON.stringify(secret), toAbout(instanceKey, issuer));
      const row = { upstream, sealed, saved_at: new Date().toISOString(), claimed_until: 0 };
      await db
        .insertInto('credentials')
        .values({ instance_key: instanceKey, issuer, ...row })
        .onConflict((conflict) => conflict.columns(['instance_key', 'issuer']).doUpdateSet(row))
        .execute();
    },
    async claim(instanceKey, issuer, forMs) {
      const now = Date.now();
      const { numUpdatedRows } = await db
        .updateTable('credentials')
        .set({ claimed_until: now + forMs })
        .where('instance_key', '=', instanceKey)
        .where('issuer', '=', issuer)
        .where('claimed_until', '<', now)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async release(instanceKey, issuer) {
      await db
        .updateTable('credentials')
        .set({ claimed_until: 0 })
        .where('instance_key', '=', instanceKey)
        .where('issuer', '=', issuer)
        .execute();
    },
    async remove(instanceKey) {
      await db.deleteFrom('credentials').where('instance_key', '=', instanceKey).execute();
    },
    async removeAll(upstream, except = new Set()) {
      await db
        .deleteFrom('credentials')
        .where('upstream', '=', upstream)
        .where('instance_key', 'not in', [...except])
        .execute();
    },
  };
}

/** What a sealed text is bound to: it opens in its own row only. */
function toAbout(instanceKey: string, issuer: string): string {
  return JSON.stringify([instanceKey, issuer]);
}

function parseSecret(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : undefined;
}

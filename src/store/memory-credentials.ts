/** Credentials that are forgotten when the process ends; nothing is written down, so nothing is sealed. */
import type { UpstreamId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { CredentialStore } from './store.ts';

interface Row {
  readonly instanceKey: string;
  readonly issuer: string;
  readonly upstream: UpstreamId;
  /** JSON text: what was saved cannot change afterwards through a shared object. */
  readonly secret: string;
  readonly claimedUntil: number;
}

/** Creates an empty store of credentials. */
export function createMemoryCredentials(): CredentialStore {
  /** The newest first. */
  let rows: readonly Row[] = [];
  const isRow = (instanceKey: string, issuer: string) => (row: Row) =>
    row.instanceKey === instanceKey && row.issuer === issuer;
  return {
    async load(instanceKey) {
      return rows
        .filter((row) => row.instanceKey === instanceKey)
        .map(({ issuer, secret }) => ({ issuer, secret: JSON.parse(secret) as JsonObject }));
    },
    async save(instanceKey, upstream, { issuer, secret }) {
      const others = rows.filter((row) => !isRow(instanceKey, issuer)(row));
      rows = [{ instanceKey, issuer, upstream, secret: JSON.stringify(secret), claimedUntil: 0 }, ...others];
    },
    async claim(instanceKey, issuer, forMs) {
      const now = Date.now();
      const found = rows.find(isRow(instanceKey, issuer));
      if (!found || found.claimedUntil >= now) return false;
      rows = rows.map((row) => (row === found ? { ...row, claimedUntil: now + forMs } : row));
      return true;
    },
    async release(instanceKey, issuer) {
      rows = rows.map((row) => (isRow(instanceKey, issuer)(row) ? { ...row, claimedUntil: 0 } : row));
    },
    async remove(instanceKey) {
      rows = rows.filter((row) => row.instanceKey !== instanceKey);
    },
    async removeAll(upstream, except) {
      rows = rows.filter((row) => row.upstream !== upstream || except?.has(row.instanceKey));
    },
  };
}

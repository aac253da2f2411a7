/** A store that forgets everything when the process ends, for when no file can be used. */
import { randomBytes } from 'node:crypto';
import type { UpstreamId } from '../model/ids.ts';
import { createCipher } from './cipher.ts';
import { NO_MANIFEST, parseManifest } from './manifests.ts';
import { createMemoryCredentials } from './memory-credentials.ts';
import { createMemoryTables } from './memory-tables.ts';
import type { LessonRecord, Store } from './store.ts';

/** Creates an empty store; the reason says why nothing is kept. */
export function createMemoryStore(reason = 'nothing is kept: this gateway runs without a store file'): Store {
  const rows = new Map<string, { readonly upstream: UpstreamId; readonly text: string }>();
  let learnt: LessonRecord = {};
  const key = randomBytes(32);
  const { tables, close } = createMemoryTables();
  return {
    degraded: reason,
    tables,
    cipher: createCipher(async () => key),
    lessons: {
      load: async () => learnt,
      async save(record) {
        learnt = { ...learnt, ...record };
      },
      async clear() {
        learnt = {};
      },
    },
    credentials: createMemoryCredentials(),
    manifests: {
      async load(instanceKey) {
        const row = rows.get(instanceKey);
        return row && { manifest: parseManifest(row.text) };
      },
      async saveAttempt(instanceKey, upstream) {
        if (!rows.has(instanceKey)) rows.set(instanceKey, { upstream, text: NO_MANIFEST });
      },
      async save(instanceKey, upstream, manifest) {
        // Text, as in the file: what was saved cannot change afterwards through a shared object.
        rows.set(instanceKey, { upstream, text: JSON.stringify(manifest) });
      },
      async remove(instanceKey) {
        rows.delete(instanceKey);
      },
      async removeAll(upstream, except) {
        for (const [key, row] of rows) if (row.upstream === upstream && !except?.has(key)) rows.delete(key);
      },
    },
    async [Symbol.asyncDispose]() {
      rows.clear();
      await close();
    },
  };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { UpstreamId } from '../model/ids.ts';
import type { Manifest } from '../model/manifest.ts';
import { createManifestStore } from './manifests.ts';
import { createMemoryStore } from './memory-store.ts';
import { GATEWAY_MIGRATIONS } from './migrations.ts';
import { openDatabase, openStore } from './open.ts';
import type { Store } from './store.ts';

const FILES = 'files' as UpstreamId;

function manifestOf(name: string): Manifest {
  return {
    hello: {
      era: 'modern',
      protocolVersion: '2026-07-28',
      serverInfo: { name, version: '1', title: 'Ünïcode ✓' },
      capabilities: { tools: { listChanged: true } },
      instructions: 'line\nline',
    },
    lists: {
      tool: [{ name, inputSchema: { type: 'object', 'x-unknown': [1, null, 'a'] } }],
      resource: [{ uri: 'file:///a' }],
      template: [],
      prompt: [],
    },
  };
}

async function toTempPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'thimble-manifests-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'thimble.db');
}

const kinds: readonly (readonly [string, () => Promise<Store>])[] = [
  ['a file store', async () => openStore(await toTempPath())],
  ['a memory store', async () => createMemoryStore('why')],
];

describe.each(kinds)('%s', (_, open) => {
  it('knows nothing at first', async () => {
    await using store = await open();
    expect(await store.manifests.load('key')).toBeUndefined();
  });

  it('gives back what was saved, whole', async () => {
    await using store = await open();
    await store.manifests.save('key', FILES, manifestOf('a'));
    expect(await store.manifests.load('key')).toEqual({ manifest: manifestOf('a') });
  });

  it('keeps the latest of two saves under one key', async () => {
    await using store = await open();
    await store.manifests.save('key', FILES, manifestOf('a'));
    await store.manifests.save('key', FILES, manifestOf('b'));
    expect(await store.manifests.load('key')).toEqual({ manifest: manifestOf('b') });
  });

  it('remembers that an instance was tried, without losing a manifest over it', async () => {
    await using store = await open();
    await store.manifests.saveAttempt('key', FILES);
    expect(await store.manifests.load('key')).toEqual({ manifest: undefined });
    await store.manifests.save('key', FILES, manifestOf('a'));
    await store.manifests.saveAttempt('key', FILES);
    expect(await store.manifests.load('key')).toEqual({ manifest: manifestOf('a') });
  });

  it('forgets one instance and no other, even of the same upstream', async () => {
    await using store = await open();
    await store.manifests.save('one', FILES, manifestOf('a'));
    await store.manifests.save('two', FILES, manifestOf('b'));
    await store.manifests.remove('one');
    expect(await store.manifests.load('one')).toBeUndefined();
    expect(await store.manifests.load('two')).toEqual({ manifest: manifestOf('b') });
  });

  it('forgets every instance of an upstream, but for those that others have as well', async () => {
    await using store = await open();
    for (const key of ['one', 'two', 'shared']) await store.manifests.save(key, FILES, manifestOf('a'));
    await store.manifests.save('other', 'notes' as UpstreamId, manifestOf('a'));
    await store.manifests.removeAll(FILES, new Set(['shared', 'unknown']));
    const loaded = await Promise.all(
      ['one', 'two', 'shared', 'other'].map((key) => store.manifests.load(key)),
    );
    expect(loaded.map((found) => found !== undefined)).toEqual([false, false, true, true]);
    await store.manifests.removeAll(FILES);
    expect(await store.manifests.load('shared')).toBeUndefined();
  });

  it('takes many saves and loads at once', async () => {
    await using store = await open();
    const keys = Array.from({ length: 40 }, (_, index) => `key-${index}`);
    await Promise.all(keys.map((key) => store.manifests.save(key, FILES, manifestOf(key))));
    const loaded = await Promise.all(keys.map((key) => store.manifests.load(key)));
    expect(loaded).toEqual(keys.map((key) => ({ manifest: manifestOf(key) })));
  });
});

describe('createManifestStore', () => {
  it.each(['{', '[]', 'null', '{"hello":{},"lists":{}}', ''])(
    'takes the stored text %j for no manifest',
    async (text) => {
      const db = await openDatabase(await toTempPath(), GATEWAY_MIGRATIONS);
      onTestFinished(() => db.destroy());
      await db
        .insertInto('manifests')
        .values({ instance_key: 'key', upstream: 'files', manifest: text, seen_at: '' })
        .execute();
      expect(await createManifestStore(db).load('key')).toEqual({ manifest: undefined });
    },
  );
});

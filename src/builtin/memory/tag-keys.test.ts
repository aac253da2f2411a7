import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../store/open.ts';
import { openTestClient } from '../test-client.contract.ts';
import { MIGRATIONS, OWNER } from './migrations.ts';
import { createMemoryServer } from './server.ts';
import type { MemoryTables } from './tables.ts';

interface EarlierTables {
  readonly memories: Omit<MemoryTables['memories'], 'tag_keys'>;
}

const ROW = {
  principal: 'local',
  category: 'general',
  content: 'x',
  context: null,
  source: null,
  importance: 5,
  created_at: '2030-01-01',
  updated_at: '2030-01-01',
  accessed_at: null,
  access_count: 0,
  grams: null,
};

it('finds by their tags the memories of an earlier version, however many they are', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'thimble-tags-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'thimble.db');
  {
    await using store = await openStore(path);
    const earlier = MIGRATIONS.slice(
      0,
      MIGRATIONS.findIndex(({ id }) => id.endsWith('-tag-keys')),
    );
    const { db } = await store.tables<EarlierTables>(OWNER, earlier);
    const rows = Array.from({ length: 1_001 }, (_, at) => ({ ...ROW, tags: `Größe ,n${at}` }));
    for (const at of [0, 500, 1_000])
      await db
        .insertInto('memories')
        .values(rows.slice(at, at + 500))
        .execute();
  }
  await using store = await openStore(path);
  const client = await openTestClient(createMemoryServer({ store }));
  const total = async (tag: string) => (await client.call('list_memories', { tag })).data['total'];
  expect(await total('GRÖßE')).toBe(1_001);
  expect(await total('n1000')).toBe(1);
  expect(await total('öße')).toBe(1_001);
  expect(await total('gross')).toBe(0);
});

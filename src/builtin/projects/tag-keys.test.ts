import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../store/open.ts';
import { openTestClient } from '../test-client.contract.ts';
import { MIGRATIONS, OWNER } from './migrations.ts';
import { createProjectsServer } from './server.ts';
import type { ProjectTables } from './tables.ts';

interface EarlierTables {
  readonly project_sources: Omit<ProjectTables['project_sources'], 'tag_keys'>;
}

const ROW = {
  principal: 'local',
  project_id: null,
  title: 'x',
  source_type: 'book',
  url: null,
  authors: null,
  publication_date: null,
  publisher: null,
  doi: null,
  isbn: null,
  abstract: null,
  content_summary: null,
  full_text: null,
  citation_apa: 'x',
  is_own_citation: 0,
  retrieval_date: '2030-01-01',
  retrieval_method: null,
  verified: 0,
  verification_notes: null,
  relevance_score: 5,
  created_at: '2030-01-01',
  grams: null,
} as const;

it('finds by their tags the sources of an earlier version, however many they are', async () => {
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
        .insertInto('project_sources')
        .values(rows.slice(at, at + 500))
        .execute();
  }
  await using store = await openStore(path);
  const client = await openTestClient(createProjectsServer({ store }));
  const total = async (tag: string) => {
    const { data } = await client.call('generate_bibliography', { tag, format: 'csl-json', limit: 1 });
    return data['total'];
  };
  expect(await total('GRÖßE')).toBe(1_001);
  expect(await total('N1000')).toBe(1);
  expect(await total('n100')).toBe(1);
  expect(await total('öße')).toBe(0);
  expect(await total('#,')).toBe(0);
});

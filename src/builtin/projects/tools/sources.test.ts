/** Sources: kept, cited, found, checked. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../store/memory-store.ts';
import { openTestClient, type TestClient } from '../../test-client.contract.ts';
import { createProjectsServer } from '../server.ts';

let client: TestClient;
let minute: number;

beforeEach(async () => {
  minute = 0;
  const now = () => new Date(Date.UTC(2026, 0, 5, 10, minute++));
  client = await openTestClient(createProjectsServer({ store: createMemoryStore(), now }));
  await client.call('create_project', { name: 'Mending' });
});

const add = (args: Record<string, string | number>) =>
  client.call('add_source', { title: 'A title', source_type: 'book', ...args });

const ids = async (tool: string, args = {}) => {
  const { data } = await client.call(tool, args);
  return (data['sources'] as unknown as readonly { readonly id: number }[]).map(({ id }) => id);
};

describe('add_source', () => {
  it('writes the citation from what is known', async () => {
    const source = {
      title: 'The quiet art of mending',
      authors: 'Doe, Jane A. & Roe, R.',
      publication_date: '2020',
      publisher: 'Loom House',
    };
    expect((await add(source)).data).toEqual({
      id: 1,
      citation: 'Doe, J. A., & Roe, R. (2020). The quiet art of mending. Loom House.',
    });
  });

  it('keeps a citation that was given', async () => {
    expect((await add({ citation_apa: 'As I wrote it.' })).data).toMatchObject({
      citation: 'As I wrote it.',
    });
  });

  it('keeps DOI and ISBN in their bare form, and today as the day of retrieval', async () => {
    await add({ doi: 'https://doi.org/10.1000/182', isbn: '978-0-306-40615-7', url: 'https://example.org/' });
    expect((await client.call('get_source', { id: 1 })).data['source']).toMatchObject({
      doi: '10.1000/182',
      isbn: '9780306406157',
      url: 'https://example.org/',
      retrieval_date: '2026-01-05',
    });
  });

  it.each([
    [{ doi: '11.1/x' }, 'doi: has to be a DOI'],
    [{ isbn: '978-0-306-40615-8' }, 'isbn: has to be an ISBN'],
    [{ url: 'javascript:alert(1)' }, 'url: has to be a whole http or https address'],
    [{ publication_date: '2021-02-29' }, 'publication_date: has to be a date'],
    [{ source_type: 'boook' }, 'did you mean "book"'],
    [{ relevance_score: 11 }, 'relevance_score: has to be at most 10'],
    [{ title: '' }, 'title: has to be at least 1'],
    [{ project_id: 9 }, 'there is no project 9'],
  ])('refuses %j', async (wrong, reason) => {
    expect(await add(wrong)).toMatchObject({ isError: true, text: expect.stringContaining(reason) });
    expect(await ids('list_sources')).toEqual([]);
  });

  it('takes empty text for nothing', async () => {
    await add({ url: '', doi: '', isbn: '', publication_date: '', authors: '', abstract: '' });
    const { source } = (await client.call('get_source', { id: 1 })).data as Record<string, never>;
    expect(source).not.toHaveProperty('url');
    expect(source).not.toHaveProperty('authors');
    expect(source).toMatchObject({ citation_apa: 'A title. (n.d.).' });
  });

  it('takes blank text for nothing too', async () => {
    await add({
      citation_apa: ' \n',
      url: ' ',
      doi: ' ',
      isbn: ' ',
      publication_date: ' ',
      authors: ' ',
      tags: ' ',
    });
    const { source } = (await client.call('get_source', { id: 1 })).data as Record<string, never>;
    for (const empty of ['url', 'doi', 'isbn', 'publication_date', 'authors', 'tags'])
      expect(source).not.toHaveProperty(empty);
    expect(source).toMatchObject({ citation_apa: 'A title. (n.d.).' });
  });
});

describe('search_sources', () => {
  beforeEach(async () => {
    await add({ title: 'Darning socks', full_text: 'wool and patience', project_id: 1 });
    await add({ title: 'Glueing cups', abstract: 'gold in the cracks', source_type: 'video' });
    await add({ title: '金継ぎの技法', authors: '山田, 太郎' });
  });

  it('finds by any field, with a whole sentence, in any script', async () => {
    expect(await ids('search_sources', { query: 'patience' })).toEqual([1]);
    expect(await ids('search_sources', { query: 'where is gold put between cracks of a cup?' })).toEqual([2]);
    expect(await ids('search_sources', { query: '継ぎ' })).toEqual([3]);
    expect(await ids('search_sources', { query: '!!! "" ()' })).toEqual([]);
  });

  it('narrows by project, type and mark before it counts the limit', async () => {
    expect(await ids('search_sources', { query: 'socks cups', project_id: 1, limit: 1 })).toEqual([1]);
    expect(await ids('search_sources', { query: 'socks cups', source_type: 'video', limit: 1 })).toEqual([2]);
    expect(await ids('search_sources', { query: 'socks cups', verified_only: true })).toEqual([]);
    await client.call('verify_source', { id: 2, verified: true });
    expect(await ids('search_sources', { query: 'socks cups', verified_only: true, limit: 1 })).toEqual([2]);
  });

  it('fences what it found', async () => {
    const { text } = await client.call('search_sources', { query: 'socks' });
    expect(text).toMatch(/^1 source found\.\n[\s\S]*<stored (\w+)>\n1\. Darning socks[\s\S]*<\/stored \1>$/);
  });
});

describe('list_sources', () => {
  beforeEach(async () => {
    await add({ title: 'beta', relevance_score: 9 });
    await add({ title: 'Alpha', relevance_score: 2, project_id: 1 });
    await add({ title: 'gamma', relevance_score: 5, source_type: 'video' });
  });

  it('sorts by age, relevance or title', async () => {
    expect(await ids('list_sources')).toEqual([3, 2, 1]);
    expect(await ids('list_sources', { sort_by: 'relevance' })).toEqual([1, 3, 2]);
    expect(await ids('list_sources', { sort_by: 'title' })).toEqual([2, 1, 3]);
  });

  it('narrows, and pages with a total', async () => {
    expect(await ids('list_sources', { project_id: 1 })).toEqual([2]);
    expect(await ids('list_sources', { source_type: 'video' })).toEqual([3]);
    const { data } = await client.call('list_sources', { limit: 2 });
    expect(data).toMatchObject({ total: 3, next_offset: 2 });
    expect(await ids('list_sources', { limit: 2, offset: 2 })).toEqual([1]);
  });

  it('cuts long summaries, so that a list stays a list', async () => {
    await add({ title: 'long', content_summary: '🧵'.repeat(1000) });
    const { data } = await client.call('list_sources', { limit: 1 });
    const [first] = data['sources'] as unknown as readonly { readonly summary: string }[];
    expect([...(first?.summary ?? '')]).toHaveLength(200);
  });
});

describe('get_source and verify_source', () => {
  beforeEach(async () => {
    await add({ title: 'Darning', full_text: 'x'.repeat(40_000), tags: 'wool', project_id: 1 });
  });

  it('show everything that was kept, whole, with the notes on it', async () => {
    await client.call('add_note', { content: 'y'.repeat(300), source_id: 1, title: 'On thread' });
    const { data } = await client.call('get_source', { id: 1 });
    expect(data['source']).toMatchObject({
      id: 1,
      full_text: 'x'.repeat(40_000),
      tags: 'wool',
      verified: false,
      project_id: 1,
    });
    expect(data['source']).not.toHaveProperty('principal');
    expect(data).toMatchObject({
      notes: [{ id: 1, note_type: 'note', title: 'On thread', preview: `${'y'.repeat(149)}…` }],
      total_notes: 1,
    });
  });

  it('record a check, and its withdrawal, and keep earlier notes', async () => {
    await client.call('verify_source', { id: 1, verified: true, notes: 'compared with the book' });
    expect((await client.call('get_source', { id: 1 })).data['source']).toMatchObject({
      verified: true,
      verification_notes: 'compared with the book',
    });
    await client.call('verify_source', { id: 1, verified: false });
    expect((await client.call('get_source', { id: 1 })).data['source']).toMatchObject({
      verified: false,
      verification_notes: 'compared with the book',
    });
    await client.call('verify_source', { id: 1, verified: false, notes: '' });
    expect((await client.call('get_source', { id: 1 })).data['source']).not.toHaveProperty(
      'verification_notes',
    );
  });

  it('refuse a source that is not there', async () => {
    for (const [tool, args] of [
      ['get_source', { id: 5 }],
      ['verify_source', { id: 5, verified: true }],
    ] as const) {
      expect(await client.call(tool, args)).toMatchObject({
        isError: true,
        text: expect.stringContaining('there is no source 5; list_sources'),
      });
    }
  });
});

/** Notes: kept and found. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../store/memory-store.ts';
import { openTestClient, type TestClient } from '../../test-client.contract.ts';
import { createProjectsServer } from '../server.ts';

let client: TestClient;

beforeEach(async () => {
  const now = () => new Date(Date.UTC(2026, 0, 5));
  client = await openTestClient(createProjectsServer({ store: createMemoryStore(), now }));
  await client.call('create_project', { name: 'Mending' });
  await client.call('create_project', { name: 'Weaving' });
  await client.call('add_source', { title: 'Darning', source_type: 'book', project_id: 1 });
});

const found = async (args: Record<string, string | number>) => {
  const { data } = await client.call('search_notes', { query: 'thread', ...args });
  return (data['notes'] as unknown as readonly { readonly id: number }[]).map(({ id }) => id);
};

describe('add_note', () => {
  it('puts a note on a source into the project of that source, unless told otherwise', async () => {
    expect((await client.call('add_note', { content: 'x', source_id: 1 })).data).toEqual({
      id: 1,
      project_id: 1,
    });
    expect((await client.call('add_note', { content: 'x', source_id: 1, project_id: 2 })).data).toEqual({
      id: 2,
      project_id: 2,
    });
    expect((await client.call('add_note', { content: 'x' })).data).toEqual({ id: 3 });
  });

  it.each([
    [{ content: '' }, 'content: has to be at least 1'],
    [{ content: 'x', note_type: 'quot' }, 'did you mean "quote"'],
    [{ content: 'x', project_id: 9 }, 'there is no project 9'],
    [{ content: 'x', source_id: 9 }, 'there is no source 9'],
    [{ content: 'x', source_id: 9, project_id: 1 }, 'there is no source 9'],
  ])('refuses %j, and keeps nothing', async (args, reason) => {
    expect(await client.call('add_note', args)).toMatchObject({
      isError: true,
      text: expect.stringContaining(reason),
    });
    expect((await client.call('project_stats')).data).toMatchObject({ notes: 0 });
  });
});

describe('search_notes', () => {
  beforeEach(async () => {
    await client.call('add_note', { content: 'Wax the thread.', note_type: 'quote', source_id: 1 });
    await client.call('add_note', { content: 'Which loom?', title: 'Thread counts', project_id: 2 });
    await client.call('add_note', { content: 'Nothing of it', tags: 'thread' });
    await client.call('add_note', { content: '糸を通す' });
  });

  it('looks into title, content and tags', async () => {
    expect([...(await found({}))].sort()).toEqual([1, 2, 3]);
    expect(await found({ query: 'how do I wax a thread' })).toContain(1);
    expect(await found({ query: '糸を' })).toEqual([4]);
  });

  it('narrows by project and kind', async () => {
    expect(await found({ project_id: 2 })).toEqual([2]);
    expect(await found({ note_type: 'quote' })).toEqual([1]);
    expect(await found({ note_type: 'insight' })).toEqual([]);
  });

  it('gives the note whole, fenced, with what it belongs to', async () => {
    const { data, text } = await client.call('search_notes', { query: 'wax' });
    expect(data).toEqual({
      notes: [
        {
          id: 1,
          note_type: 'quote',
          content: 'Wax the thread.',
          project_id: 1,
          source_id: 1,
          created_at: '2026-01-05T00:00:00.000Z',
        },
      ],
    });
    expect(text).toMatch(
      /<stored (\w+)>\n1\. \(quote, project 1, source 1\)\n {3}Wax the thread\.\n<\/stored \1>/,
    );
  });

  it('refuses an empty question', async () => {
    expect(await client.call('search_notes', { query: '' })).toMatchObject({ isError: true });
  });
});

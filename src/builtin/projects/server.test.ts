/** The server as a whole: the contract of every built-in, its resource and its prompt. */
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../store/memory-store.ts';
import { runBuiltinContract } from '../builtin.contract.ts';
import { openTestClient } from '../test-client.contract.ts';
import { createProjectsServer } from './server.ts';
import { PROJECT_TOOLS } from './tools.ts';

runBuiltinContract({
  name: 'projects',
  tools: PROJECT_TOOLS,
  create: createProjectsServer,
  examples: [
    ['create_project', { name: 'Mending', description: 'How things are kept', tags: 'craft, cloth' }],
    ['list_projects', {}],
    ['update_project', { id: 1, status: 'paused' }],
    [
      'add_source',
      {
        title: 'The quiet art of mending',
        source_type: 'book',
        project_id: 1,
        authors: 'Doe, Jane',
        publication_date: '2020',
        publisher: 'Loom House',
        isbn: '978-0-306-40615-7',
        doi: '10.1000/182',
        url: 'https://example.org/',
      },
    ],
    ['search_sources', { query: 'mending', project_id: 1 }],
    ['verify_source', { id: 1, verified: true, notes: 'read it' }],
    ['list_sources', { project_id: 1, sort_by: 'title' }],
    ['add_note', { content: 'Thread before needle.', source_id: 1, note_type: 'quote' }],
    ['get_source', { id: 1 }],
    ['search_notes', { query: 'needle' }],
    ['generate_bibliography', { project_id: 1, format: 'mla' }],
    ['project_stats', {}],
  ],
  unknown: {
    update_project: { id: 99, name: 'x' },
    add_source: { title: 'x', source_type: 'book', project_id: 99 },
    search_sources: { query: 'x', project_id: 99 },
    get_source: { id: 99 },
    verify_source: { id: 99, verified: true },
    list_sources: { project_id: 99 },
    add_note: { content: 'x', source_id: 99 },
    search_notes: { query: 'x', project_id: 99 },
    generate_bibliography: { project_id: 99 },
  },
});

describe('projects', () => {
  it('shows the projects at projects://list', async () => {
    const client = await openTestClient(createProjectsServer({ store: createMemoryStore() }));
    await client.call('create_project', { name: 'Mending' });
    const result = await client.request('resources/read', { uri: 'projects://list' });
    const [content] = result['contents'] as readonly { readonly text: string }[];
    expect(JSON.parse(content?.text ?? '')).toMatchObject({
      projects: [{ id: 1, name: 'Mending', status: 'active', sources: 0, notes: 0 }],
      total: 1,
    });
  });

  it('names only tools that there are in its guide', async () => {
    const client = await openTestClient(createProjectsServer({ store: createMemoryStore() }));
    const result = await client.request('prompts/get', { name: 'research-guide' });
    const text = JSON.stringify(result['messages']);
    const named = [...text.matchAll(/`([a-z]+_[a-z_]+)`/g)].map((match) => match[1]);
    expect(new Set(named)).toEqual(new Set(PROJECT_TOOLS.map((tool) => tool.name)));
  });

  it('shows nobody what belongs to somebody else', async () => {
    const store = createMemoryStore();
    const ann = await openTestClient(createProjectsServer({ store, principal: 'ann' }));
    const ben = await openTestClient(createProjectsServer({ store, principal: 'ben' }));
    await ann.call('create_project', { name: 'Secret' });
    await ann.call('add_source', { title: 'Secret source', source_type: 'book', project_id: 1 });
    await ann.call('add_note', { content: 'Secret note', source_id: 1 });
    for (const [tool, args] of [
      ['get_source', { id: 1 }],
      ['update_project', { id: 1, name: 'mine' }],
      ['verify_source', { id: 1, verified: true }],
      ['list_sources', { project_id: 1 }],
      ['add_note', { content: 'x', source_id: 1 }],
      ['add_source', { title: 'x', source_type: 'book', project_id: 1 }],
      ['search_notes', { query: 'secret', project_id: 1 }],
    ] as const) {
      expect(await ben.call(tool, args), tool).toMatchObject({ isError: true });
    }
    for (const tool of ['list_projects', 'list_sources', 'project_stats', 'generate_bibliography']) {
      expect(JSON.stringify(await ben.call(tool)), tool).not.toContain('Secret');
    }
    expect((await ben.call('search_sources', { query: 'secret' })).data).toEqual({ sources: [] });
    expect((await ben.call('search_notes', { query: 'secret' })).data).toEqual({ notes: [] });
    expect((await ben.call('project_stats')).data).toMatchObject({ projects: 0, sources: 0, notes: 0 });
  });
});

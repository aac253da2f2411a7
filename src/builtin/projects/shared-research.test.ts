import { expect, it } from 'vitest';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openTestClient } from '../test-client.contract.ts';
import { createProjectsServer } from './server.ts';
import { createResearchReader } from './shared-research.ts';

it('hands over projects, sources and notes by what they are called, and nothing of somebody else', async () => {
  const store = createMemoryStore();
  const client = await openTestClient(createProjectsServer({ store }));
  await client.call('create_project', { name: 'Mending' });
  await client.call('add_source', { title: 'Darning', source_type: 'book', project_id: 1, tags: 'wool' });
  await client.call('add_note', { content: 'wool first', source_id: 1 });
  await client.call('add_note', { content: 'then linen', title: 'Order' });
  const read = createResearchReader({ store });
  expect(await read('project', 1)).toMatchObject({ title: 'Mending', content: { status: 'active' } });
  expect(await read('source', 1)).toMatchObject({ title: 'Darning', content: { project_id: 1 } });
  expect(await read('note', 1)).toMatchObject({ title: 'wool first', content: { source_id: 1 } });
  expect(await read('note', 2)).toMatchObject({ title: 'Order', content: { content: 'then linen' } });
  for (const inner of ['principal', 'grams', 'tag_keys', 'url'])
    expect((await read('source', 1))?.content).not.toHaveProperty(inner);
  expect(await read('note', 3)).toBeUndefined();
  expect(await createResearchReader({ store, principal: 'another' })('project', 1)).toBeUndefined();
});

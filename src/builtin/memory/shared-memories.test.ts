import { expect, it } from 'vitest';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openTestClient } from '../test-client.contract.ts';
import { createMemoryServer } from './server.ts';
import { createMemoryReader } from './shared-memories.ts';

it('hands over a memory with what is known of it, and none of somebody else', async () => {
  const store = createMemoryStore();
  const client = await openTestClient(createMemoryServer({ store }));
  await client.call('store_memory', { content: `tea\n${'👩‍👩‍👧'.repeat(100)}`, tags: 'kitchen' });
  const copy = await createMemoryReader({ store })(1);
  expect(copy?.title).toBe(`tea ${'👩‍👩‍👧'.repeat(15)}…`);
  expect(copy?.content).toMatchObject({ id: 1, tags: 'kitchen', category: 'general', importance: 5 });
  for (const inner of ['principal', 'grams', 'context', 'source'])
    expect(copy?.content).not.toHaveProperty(inner);
  expect(await createMemoryReader({ store })(2)).toBeUndefined();
  expect(await createMemoryReader({ store, principal: 'another' })(1)).toBeUndefined();
});

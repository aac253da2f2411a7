import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../store/memory-store.ts';
import { createNeighbours } from './neighbours.ts';

describe('what sharing has of the other servers', () => {
  it('is refused with the reason where the server that keeps it is switched off', async () => {
    const { items } = createNeighbours(() => undefined);
    await expect(items.read('note', '1')).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringContaining('set builtin.projects to true'),
    });
  });

  it('is nothing where there is no such thing', async () => {
    await using store = createMemoryStore();
    const { items } = createNeighbours(() => ({ store }));
    expect(await items.read('note', '1')).toBeUndefined();
    expect(await items.read('blog_post', 'x')).toBeUndefined();
  });
});

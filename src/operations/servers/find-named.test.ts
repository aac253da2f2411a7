import { describe, expect, it } from 'vitest';
import type { Running } from '../house.ts';
import { openTestHouse } from '../test-house.contract.ts';
import { findNamed } from './find-named.ts';

const counts = { calls: 0, running: 0, queued: 0, restarts: 0, stderr: [] };

function runs(...ids: string[]): Running {
  const servers = async () => ids.map((id) => ({ id, state: 'online', says: '', ...counts }));
  return { processes: async () => [], servers, restart: servers };
}

describe('a server that is named to running processes', () => {
  it('is one of the configuration, by id or name', async () => {
    await using house = await openTestHouse({ running: runs() });
    await house.config.edit(() => [{ path: ['mcpServers', 'My Files'], value: { command: 'x' } }]);
    expect(await findNamed('my files', house)).toMatchObject({ name: 'My Files', enabled: true });
  });

  it('may be one that only another configuration has', async () => {
    await using house = await openTestHouse({ running: runs('noisy') });
    expect(await findNamed('noisy', house)).toEqual({ id: 'noisy', name: 'noisy', enabled: true });
    await expect(findNamed('nosy', house)).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
      message: expect.stringContaining('did you mean "noisy"?'),
    });
  });

  it('is refused as ever where nothing near it runs', async () => {
    await using house = await openTestHouse({ running: runs('noisy') });
    await expect(findNamed('entirely-else', house)).rejects.toThrow(/no configured server is called/);
  });
});

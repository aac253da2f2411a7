import { describe, expect, it } from 'vitest';
import { openTestHouse } from '../test-house.contract.ts';
import { findConfigured, listConfigured, matchConfigured } from './server-entries.ts';

const SERVERS = {
  GitHub: { command: 'x', tags: ['dev'] },
  files: { url: 'https://x.example/mcp', enabled: false },
};

async function read(value: object) {
  await using house = await openTestHouse();
  await house.config.edit(() =>
    Object.entries(value).map(([key, member]) => ({ path: [key], value: member })),
  );
  return house.config.read();
}

describe('configured servers', () => {
  it('are all there, with their entries, built-in ones even when they are off', async () => {
    const content = await read({ builtin: { memory: false }, mcpServers: SERVERS });
    const all = new Map(listConfigured(content).map((one) => [one.id, one]));
    expect(all.get('github')).toMatchObject({
      name: 'GitHub',
      kind: 'stdio',
      enabled: true,
      tags: ['dev'],
      entry: SERVERS.GitHub,
    });
    expect(all.get('files')).toMatchObject({ kind: 'http', enabled: false });
    expect(all.get('memory')).toMatchObject({ builtin: true, enabled: false, upstream: undefined });
    expect(all.get('blog')).toMatchObject({ builtin: true, enabled: true, entry: undefined });
  });

  it('are found by id, by name, and by either in other letters', async () => {
    const content = await read({ mcpServers: SERVERS });
    for (const word of ['github', 'GitHub', 'GITHUB'])
      expect(findConfigured(content, word).id).toBe('github');
    expect(matchConfigured(content, 'git')).toBeUndefined();
  });

  it.each(['githb', 'flies'])('are suggested for %s', async (word) => {
    const content = await read({ mcpServers: SERVERS });
    expect(() => findConfigured(content, word)).toThrow(
      expect.objectContaining({ code: 'NAME_UNKNOWN', message: expect.stringMatching(/did you mean/) }),
    );
  });

  it('are named where nothing is near, a handful of them', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`server-${at}`, { command: 'x' }]),
    );
    const content = await read({ mcpServers: many });
    expect(() => findConfigured(content, '__proto__')).toThrow(/there are blog, memory, .* and \d+ more/);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCall } from '../../../test/support/contexts.ts';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openStore } from '../../store/open.ts';
import { openTestConnection } from '../../upstream/connector.contract.ts';
import { createBuiltin } from '../../upstream/connectors/builtin/connector.ts';
import { BUILTINS } from '../registry.ts';
import { openTestClient } from '../test-client.contract.ts';
import { createMemoryServer } from './server.ts';

describe('the memory server behind the connector', () => {
  it.each(['legacy', 'modern'] as const)('speaks to the gateway in the %s era', async (era) => {
    const store = createMemoryStore();
    const { load } = BUILTINS.find(({ name }) => name === 'memory')!;
    const create = await load();
    const instructions = async () => 'Remember.';
    const connector = createBuiltin(new Map([['memory', () => create({ store, instructions })]]));
    await using connection = await openTestConnection(connector, { server: 'memory' }, { era });
    expect(connection.hello).toMatchObject({
      era,
      serverInfo: { name: 'thimble-memory', title: 'Memory' },
      instructions: 'Remember.',
    });
    const params = { name: 'store_memory', arguments: { content: 'tea' } };
    expect(await connection.request('tools/call', params, createCall())).toMatchObject({
      structuredContent: { id: 1 },
    });
  });
});

describe('the memory server on a file', () => {
  it('finds again what an earlier run stored, and shares it with others at the same time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'thimble-memory-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'thimble.db');
    {
      await using store = await openStore(path);
      const client = await openTestClient(createMemoryServer({ store }));
      await client.call('store_memory', { content: 'the kettle is blue' });
    }
    await using one = await openStore(path);
    await using two = await openStore(path);
    const clients = await Promise.all(
      [one, two].map((store) => openTestClient(createMemoryServer({ store }))),
    );
    const stored = clients.flatMap((client, at) =>
      Array.from({ length: 10 }, (_, n) => client.call('store_memory', { content: `kettle ${at}-${n}` })),
    );
    for (const answer of await Promise.all(stored)) expect(answer).toMatchObject({ isError: false });
    for (const client of clients) {
      const { data } = await client.call('search_memories', { query: 'kettle', limit: 100 });
      expect(data['memories']).toHaveLength(21);
    }
  });
});

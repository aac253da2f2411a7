import { describe, expect, it } from 'vitest';
import { createCall } from '../../test/support/contexts.ts';
import { RpcError } from '../errors/gateway-error.ts';
import type { JsonObject } from '../model/json.ts';
import { readManifest } from './manifest.ts';
import type { Connection } from './upstream.ts';

const inputSchema = { type: 'object' };

function createLister(capabilities: JsonObject, answer: (method: string, params: JsonObject) => JsonObject) {
  const asked: string[] = [];
  const connection = {
    hello: { era: 'legacy', capabilities },
    async request(method: string, params: JsonObject) {
      asked.push(method);
      return answer(method, params);
    },
  } as unknown as Connection;
  return { asked, read: () => readManifest(connection, createCall()) };
}

describe('reading a manifest', () => {
  it('asks only for what the server declares', async () => {
    const { asked, read } = createLister({ prompts: {} }, () => ({ prompts: [{ name: 'p' }] }));
    const { manifest } = await read();
    expect(asked).toEqual(['prompts/list']);
    expect(manifest.lists).toEqual({ tool: [], resource: [], template: [], prompt: [{ name: 'p' }] });
  });

  it('takes a list the server declares but does not know for empty', async () => {
    const { read } = createLister({ resources: {} }, (method) => {
      if (method === 'resources/templates/list') throw new RpcError(-32601, 'Method not found');
      return { resources: [{ uri: 'a:b', name: 'ab' }] };
    });
    const { manifest } = await read();
    expect(manifest.lists.resource).toEqual([{ uri: 'a:b', name: 'ab' }]);
    expect(manifest.lists.template).toEqual([]);
  });

  it('passes every other failure on', async () => {
    const { read } = createLister({ tools: {} }, () => {
      throw new RpcError(-32603, 'broken');
    });
    await expect(read()).rejects.toMatchObject({ code: -32603 });
  });

  it('stops at a cursor that repeats, and says so', async () => {
    const { asked, read } = createLister({ tools: {} }, (_method, { cursor }) => ({
      tools: [{ name: `after ${String(cursor)}`, inputSchema }],
      nextCursor: cursor === 'a' ? 'b' : 'a',
    }));
    const { manifest, remarks } = await read();
    expect(asked).toHaveLength(3);
    expect(manifest.lists.tool).toHaveLength(3);
    expect(remarks).toEqual(['tools/list repeats the cursor "a"; the rest was not read']);
  });

  it('stops after a thousand pages, and says so', async () => {
    let page = 0;
    const { asked, read } = createLister({ tools: {} }, () => {
      page += 1;
      return { tools: [{ name: `t${page}`, inputSchema }], nextCursor: String(page) };
    });
    const { remarks } = await read();
    expect(asked).toHaveLength(1_000);
    expect(remarks).toEqual(['tools/list has more than 1000 pages; the rest was not read']);
  });

  it('drops what has no name, and lets the first of two of one name count', async () => {
    const [a, b] = [
      { name: 'a', n: 1, inputSchema },
      { name: 'b', inputSchema },
    ];
    const tools = [a, null, { name: '' }, { name: 7 }, { name: 'a', n: 2 }, b] as JsonObject['x'];
    const { manifest, remarks } = await createLister({ tools: {} }, () => ({ tools })).read();
    expect(manifest.lists.tool).toEqual([a, b]);
    expect(remarks).toEqual([
      'tools/list lists "a" twice; the first counts',
      'tools/list has 3 entries without a name',
    ]);
  });

  it('says only so much about a server that gets much wrong', async () => {
    const tools = Array.from({ length: 500 }, (_, at) => ({ name: `t${at}` }));
    const { remarks } = await createLister({ tools: {} }, () => ({ tools })).read();
    expect(remarks).toHaveLength(11);
    expect(remarks.at(-1)).toBe('and 490 more of the kind');
  });
});

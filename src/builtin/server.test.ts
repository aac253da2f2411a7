import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GatewayError } from '../errors/gateway-error.ts';
import { META, MODERN_REVISION } from '../model/mcp.ts';
import { runBuiltinContract } from './builtin.contract.ts';
import { ADDS, type Builtin, defineTool, READS } from './builtin.ts';
import { said } from './said.ts';
import { createBuiltinServer, type ServerParts } from './server.ts';
import { openTestClient } from './test-client.contract.ts';

type Shelf = Map<number, string>;

const put = defineTool({
  name: 'put_thing',
  title: 'Put a thing',
  description: 'Put a thing on the shelf',
  input: z.object({
    thing: said(20).describe('what to put'),
    place: z.enum(['left', 'right']).default('left'),
    weight: z.int().min(1).max(10).optional(),
  }),
  output: z.object({ id: z.int() }),
  annotations: ADDS,
  async run({ thing }, shelf: Shelf) {
    if (thing === 'bomb') throw new Error('a secret of the house');
    shelf.set(shelf.size + 1, thing);
    return { id: shelf.size };
  },
  toText: ({ id }) => `Put it there as ${id}.`,
});

const get = defineTool({
  name: 'get_thing',
  title: 'Get a thing',
  description: 'Look at a thing',
  input: z.object({ id: z.int() }),
  output: z.object({ thing: z.string() }),
  annotations: READS,
  async run({ id }, shelf: Shelf, { signal }) {
    if (id === 100)
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const thing = shelf.get(id);
    if (thing === undefined) throw new GatewayError('INVALID_PARAMS', `there is no thing ${id}`);
    return { thing };
  },
  toText: ({ thing }) => thing,
});

const TOY = {
  name: 'toy',
  title: 'Toy',
  tools: [put, get],
  resources: [
    {
      uri: 'toy://shelf',
      name: 'shelf',
      title: 'Shelf',
      description: 'everything there',
      mimeType: 'application/json',
      read: async (shelf) => JSON.stringify([...shelf.values()]),
    },
  ],
  prompts: [
    {
      name: 'tidy',
      title: 'Tidy up',
      description: 'how to tidy up',
      arguments: [
        { name: 'room', description: 'which room', required: true, values: ['kitchen', 'kids', 'bath'] },
      ],
      get: async ({ room }, shelf) => `Tidy the ${room} and its ${shelf.size} things.`,
    },
  ],
} satisfies Builtin<Shelf>;

const createToy = (parts: Partial<ServerParts<Shelf>> = {}) =>
  createBuiltinServer(TOY, { open: async () => new Map([[1, 'ball']]), ...parts });

runBuiltinContract({
  name: 'toy',
  tools: TOY.tools,
  create: ({ instructions }) => createToy({ instructions }),
  examples: [
    ['put_thing', { thing: 'book' }],
    ['get_thing', { id: 2 }],
  ],
  unknown: { get_thing: { id: 99 } },
});

describe('a built-in server', () => {
  it('shows a schema without what only costs tokens', () => {
    expect(put.definition()['inputSchema']).toEqual({
      type: 'object',
      properties: {
        thing: { type: 'string', maxLength: 20, description: 'what to put' },
        place: { default: 'left', type: 'string', enum: ['left', 'right'] },
        weight: { type: 'integer', minimum: 1, maximum: 10 },
      },
      required: ['thing'],
    });
  });

  it('names every fault of a call by its path, with the nearest name', async () => {
    const client = await openTestClient(createToy());
    const { text, isError } = await client.call('put_thing', { thng: 'a', place: 'lefty', weight: 0.5 });
    expect(isError).toBe(true);
    expect(text).toContain('thing: is missing');
    expect(text).toContain('thng: is not known (did you mean "thing"?)');
    expect(text).toContain('place: has to be one of "left", "right" (did you mean "left"?)');
    expect(text).toContain('weight: has to be a whole number');
  });

  it('tells what went wrong inside to whoever runs it, and not to the client', async () => {
    const told: unknown[] = [];
    const client = await openTestClient(createToy({ onFault: (error) => told.push(error) }));
    const { text, isError } = await client.call('put_thing', { thing: 'bomb' });
    expect(isError).toBe(true);
    expect(text).not.toContain('secret');
    expect(told).toEqual([new Error('a secret of the house')]);
  });

  it('tells so of resources, prompts and greetings too', async () => {
    const told: unknown[] = [];
    const fails = () => Promise.reject(new Error('a secret of the house'));
    const parts = { open: fails, instructions: fails, onFault: (error: unknown) => told.push(error) };
    const client = await openTestClient(createToy(parts));
    for (const [method, params] of [
      ['resources/read', { uri: 'toy://shelf' }],
      ['prompts/get', { name: 'tidy', arguments: { room: 'bath' } }],
      ['initialize', {}],
    ] as const)
      await expect(client.request(method, params)).rejects.toThrow(/^(?!.*secret)/);
    expect(told).toHaveLength(3);
  });

  it('tells nobody of what only the caller did wrong, or gave up', async () => {
    const told: unknown[] = [];
    const client = await openTestClient(createToy({ onFault: (error) => told.push(error) }));
    await client.call('get_thing', { id: 99 });
    await expect(client.request('tools/none')).rejects.toMatchObject({ code: -32601 });
    const stop = new AbortController();
    const params = { name: 'get_thing', arguments: { id: 100 } };
    const waiting = client.peer.request('tools/call', params, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await client.call('get_thing', { id: 1 });
    expect(told).toEqual([]);
  });

  it('lets a call be cancelled', async () => {
    const client = await openTestClient(createToy());
    const stop = new AbortController();
    const params = { name: 'get_thing', arguments: { id: 100 } };
    const waiting = client.peer.request('tools/call', params, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(await client.call('get_thing', { id: 1 })).toMatchObject({ data: { thing: 'ball' } });
  });

  it('opens what its tools share when it is first needed, and again after a failure', async () => {
    let opened = 0;
    const open = async () => {
      opened += 1;
      if (opened === 1)
        throw new GatewayError('STORE_LOCKED', 'another process holds the store; wait for it');
      return new Map([[1, 'ball']]);
    };
    const client = await openTestClient(createToy({ open }));
    await client.request('tools/list');
    expect(opened).toBe(0);
    expect(await client.call('get_thing', { id: 1 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('another process'),
    });
    expect(await client.call('get_thing', { id: 1 })).toMatchObject({ isError: false });
    await client.call('get_thing', { id: 1 });
    expect(opened).toBe(2);
  });

  it('reads resources, and says which one might have been meant', async () => {
    const client = await openTestClient(createToy());
    expect(await client.request('resources/list')).toMatchObject({ resources: [{ uri: 'toy://shelf' }] });
    expect(await client.request('resources/read', { uri: 'toy://shelf' })).toEqual({
      contents: [{ uri: 'toy://shelf', mimeType: 'application/json', text: '["ball"]' }],
    });
    await expect(client.request('resources/read', { uri: 'toy://shelv' })).rejects.toMatchObject({
      code: -32002,
      message: expect.stringContaining('toy://shelf'),
    });
  });

  it('fills prompts, checks their arguments, and completes them', async () => {
    const client = await openTestClient(createToy());
    expect(await client.request('prompts/list')).toEqual({
      prompts: [
        {
          name: 'tidy',
          title: 'Tidy up',
          description: 'how to tidy up',
          arguments: [{ name: 'room', description: 'which room', required: true }],
        },
      ],
    });
    expect(await client.request('prompts/get', { name: 'tidy', arguments: { room: 'bath' } })).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: 'Tidy the bath and its 1 things.' } }],
    });
    await expect(client.request('prompts/get', { name: 'tidy' })).rejects.toThrow(
      'needs the argument "room"',
    );
    await expect(client.request('prompts/get', { name: 'tidi' })).rejects.toThrow('did you mean "tidy"');
    const wrong = { name: 'tidy', arguments: { roof: 'x' } };
    await expect(client.request('prompts/get', wrong)).rejects.toThrow('did you mean "room"');
    const ref = { type: 'ref/prompt', name: 'tidy' };
    const argument = { name: 'room', value: 'ki' };
    expect(await client.request('completion/complete', { ref, argument })).toEqual({
      completion: { values: ['kitchen', 'kids'], total: 2, hasMore: false },
    });
  });

  it('refuses methods and revisions it does not know', async () => {
    const client = await openTestClient(createToy());
    await expect(client.request('tools/none')).rejects.toMatchObject({ code: -32601 });
    await expect(client.request('server/discover')).rejects.toMatchObject({ code: -32022 });
    const meta = { [META.protocolVersion]: '2031-01-01' };
    await expect(client.request('tools/list', { _meta: meta })).rejects.toMatchObject({
      code: -32022,
      data: { supported: expect.arrayContaining([MODERN_REVISION]) },
    });
  });

  it('serves a client of the official SDK', async () => {
    const [theirs, ours] = InMemoryTransport.createLinkedPair();
    await createToy({ instructions: async () => 'Play nicely.' }).connect(ours);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(theirs);
    expect(client.getInstructions()).toBe('Play nicely.');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['put_thing', 'get_thing']);
    const result = await client.callTool({ name: 'get_thing', arguments: { id: 1 } });
    expect(result['structuredContent']).toEqual({ thing: 'ball' });
    await client.close();
  });
});

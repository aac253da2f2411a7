/** Servers and clients that people really use, through the built program. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { binOf, fetchTools, NEWER_NODE } from '../support/on-demand.ts';
import {
  commandOf,
  createPlace,
  descendantsOf,
  eventually,
  type Place,
  PROGRAM,
  type Served,
  serve,
  untilMet,
} from '../support/program.ts';

/** The part of a client that every version has. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  readResource(call: { uri: string }): Promise<{ contents: unknown[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(call: { name: string; arguments?: Record<string, string> }): Promise<{ messages: unknown[] }>;
  close(): Promise<void>;
}

const INFO = { name: 'interop', version: '1.0.0' };
let place: Place;
let served: Served;
let files: string;

beforeAll(async () => {
  await fetchTools();
  files = await mkdtemp(join(tmpdir(), 'thimble-files-'));
  await writeFile(join(files, 'note.txt'), 'a note on disk');
  const node = (name: Parameters<typeof binOf>[0], ...args: string[]) => ({
    command: process.execPath,
    args: [binOf(name), ...args],
  });
  place = await createPlace({
    mcpServers: {
      everything: node('@modelcontextprotocol/server-everything'),
      files: node('@modelcontextprotocol/server-filesystem', files),
      memory: {
        ...node('@modelcontextprotocol/server-memory'),
        env: { MEMORY_FILE_PATH: join(files, 'memory.json') },
      },
    },
  });
  served = await serve(place);
  await untilMet(served, 'everything', 'files', 'memory');
}, 600_000);

afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
  await rm(files, { recursive: true, force: true });
});

const stdioArgs = () => ({
  command: process.execPath,
  args: [PROGRAM, 'stdio', '--config', place.config, '--home', place.home],
  cwd: place.dir,
});
const endpoint = (path = '/mcp') => new URL(`${served.url}${path}`);

/** Every client and the way it comes in. */
const CLIENTS: Readonly<Record<string, () => Promise<AnyClient>>> = {
  'SDK v1 over HTTP': async () => connectV1(new HttpV1(endpoint())),
  'SDK v1 over SSE': async () => connectV1(new SseV1(endpoint('/sse'))),
  'SDK v1 over stdio': async () => connectV1(new StdioV1(stdioArgs())),
  'SDK v2, legacy, over HTTP': async () => connectV2('legacy', new HttpV2(endpoint())),
  'SDK v2, modern, over HTTP': async () => connectV2('modern', new HttpV2(endpoint())),
  'SDK v2, legacy, over stdio': async () => connectV2('legacy', new StdioV2(stdioArgs())),
  'SDK v2, modern, over stdio': async () => connectV2('modern', new StdioV2(stdioArgs())),
  'mcp-remote in front of HTTP': async () =>
    connectV1(
      new StdioV1({
        command: process.execPath,
        args: [binOf('mcp-remote'), String(endpoint()), '--allow-http'],
      }),
    ),
};

async function connectV1(transport: unknown): Promise<AnyClient> {
  const client = new ClientV1(INFO);
  await client.connect(transport as Parameters<ClientV1['connect']>[0]);
  return client as unknown as AnyClient;
}

async function connectV2(era: 'legacy' | 'modern', transport: unknown): Promise<AnyClient> {
  const mode = era === 'modern' ? { pin: '2026-07-28' as const } : ('legacy' as const);
  const client = new ClientV2(INFO, { versionNegotiation: { mode } });
  await client.connect(transport as Parameters<ClientV2['connect']>[0]);
  expect(client.getProtocolEra()).toBe(era);
  return client as unknown as AnyClient;
}

describe('three servers from npm behind one gateway', () => {
  it.each(Object.entries(CLIENTS))('serve %s: list, call, read, get', async (_name, connect) => {
    const client = await connect();
    try {
      const names = (await client.listTools()).tools.map((tool) => tool.name);
      expect(names).toEqual(expect.arrayContaining(['echo', 'read_text_file', 'create_entities']));
      const echoed = await client.callTool({ name: 'echo', arguments: { message: 'through the thimble' } });
      expect(JSON.stringify(echoed)).toContain('through the thimble');
      const note = await client.callTool({
        name: 'read_text_file',
        arguments: { path: join(files, 'note.txt') },
      });
      expect(JSON.stringify(note)).toContain('a note on disk');
      expect(JSON.stringify(await client.callTool({ name: 'read_graph', arguments: {} }))).toContain(
        'entities',
      );

      const [resource] = (await client.listResources()).resources;
      const read = await client.readResource({ uri: resource?.uri ?? '' });
      expect(read.contents.length).toBeGreaterThan(0);
      const prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
      expect(
        (await client.getPrompt({ name: prompts.find((name) => /simple/.test(name)) ?? '' })).messages.length,
      ).toBeGreaterThan(0);
    } finally {
      await client.close();
    }
  });
});

describe('search mode over the same servers', () => {
  it.each(['legacy', 'modern'] as const)('finds, calls, lists and reads for a %s client', async (era) => {
    const client = await connectV2(era, new HttpV2(endpoint('/mcp/search')));
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text ?? '';
    expect((await client.listTools()).tools).toHaveLength(4);
    const found = textOf(await call('discover_mcp_tools', { query: 'read the text of a file' }));
    expect(found).toMatch(/^files:read_text_file\(path: string/m);
    const note = join(files, 'note.txt');
    const read = await call('execute_mcp_tool', {
      tool_path: 'files:read_text_file',
      arguments: { path: note },
    });
    expect(JSON.stringify(read)).toContain('a note on disk');
    const wrong = textOf(
      await call('execute_mcp_tool', { tool_path: 'files:read_text_file', arguments: { pth: note } }),
    );
    expect(wrong).toContain('"path" is missing');
    const [uri] = textOf(await call('list_mcp_resources', { server: 'everything' })).split(/\s/);
    expect(uri).toMatch(/^everything\|/);
    expect(JSON.stringify(await call('read_mcp_resource', { uri }))).toContain('"type":"resource"');
    await client.close();
  });
});

describe('the inspector on the command line', () => {
  const inspect = async (...args: string[]) => {
    const words = [
      binOf('@modelcontextprotocol/inspector'),
      '--cli',
      String(endpoint()),
      '--transport',
      'http',
      ...args,
    ];
    const { stdout } = await promisify(execFile)(NEWER_NODE, words, { timeout: 120_000 });
    return stdout;
  };

  it.each(['legacy', 'modern'])('lists, calls, reads and gets in the %s era', async (era) => {
    const inEra = ['--protocol-era', era];
    expect(await inspect('--method', 'tools/list', ...inEra)).toContain('create_entities');
    const call = ['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'message=inspected'];
    expect(await inspect(...call, ...inEra)).toContain('inspected');
    const listed = await inspect('--method', 'resources/list', ...inEra);
    const uri = /"uri":\s*"([^"]+)"/.exec(listed)?.[1] ?? '';
    expect(await inspect('--method', 'resources/read', '--uri', uri, ...inEra)).toContain('contents');
    const prompts = await inspect('--method', 'prompts/list', ...inEra);
    const prompt = /"name":\s*"([^"]*simple[^"]*)"/.exec(prompts)?.[1] ?? '';
    expect(await inspect('--method', 'prompts/get', '--prompt-name', prompt, ...inEra)).toContain('messages');
  });
});

describe('a server that is killed', () => {
  it('costs the others nothing and works again soon', async () => {
    const client = await connectV2('legacy', new HttpV2(endpoint()));
    await client.callTool({ name: 'read_graph', arguments: {} });
    const children = await descendantsOf(served.child.pid ?? 0);
    const commands = await Promise.all(children.map(async (pid) => ({ pid, command: await commandOf(pid) })));
    const memory = commands.find(({ command }) => command.includes('server-memory'));
    expect(memory).toBeDefined();

    let others = 0;
    let hammering = true;
    const hammer = (async () => {
      while (hammering) {
        const echoed = await client.callTool({ name: 'echo', arguments: { message: String(others) } });
        expect(JSON.stringify(echoed)).toContain(`${others}`);
        others += 1;
      }
    })();
    process.kill(memory?.pid ?? 0, 'SIGKILL');
    const killed = performance.now();
    let recovered = false;
    // A second or two by itself; a busy machine needs longer to start anything.
    while (!recovered && performance.now() - killed < 20_000) {
      recovered = await client.callTool({ name: 'read_graph', arguments: {} }).then(
        () => true,
        () => false,
      );
    }
    await eventually('the others were used meanwhile', () => others > 10);
    hammering = false;
    await hammer;
    await client.close();
    expect(recovered).toBe(true);
  });
});

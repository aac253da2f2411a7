import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeSessions, type FakeSessions } from '../../../test/support/fake-sessions.ts';
import { createFeed } from '../../events/feed.ts';
import { type HttpServer, openHttpServer } from './server.ts';

let server: HttpServer;
let sessions: FakeSessions;
const closers: (() => Promise<void>)[] = [];

beforeEach(async () => {
  sessions = createFakeSessions();
  server = await openHttpServer({
    host: '127.0.0.1',
    port: 0,
    sessions,
    health: () => ({}),
    feed: createFeed(),
  });
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await server.close();
});

/** What the tests need of either SDK's client. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    options?: { signal?: AbortSignal; onprogress?: (p: { progress: number }) => void },
  ): Promise<string>;
}

async function openV1(kind: 'streamable' | 'sse') {
  const client = new Client({ name: 'v1', version: '1' }, { capabilities: { elicitation: {} } });
  const transport =
    kind === 'sse'
      ? new SSEClientTransport(new URL(`${server.url}/sse`))
      : new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`));
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
  await client.connect(transport as Parameters<Client['connect']>[0]);
  closers.push(() => client.close());
  const any: AnyClient = {
    listTools: () => client.listTools(),
    callTool: async (params, options) => toText(await client.callTool(params, undefined, options)),
  };
  return { client, transport, any };
}

async function openV2(modern: boolean) {
  const client = new ModernClient(
    { name: 'v2', version: '1' },
    { versionNegotiation: { mode: modern ? { pin: '2026-07-28' } : 'legacy' } },
  );
  const transport = new ModernTransport(new URL(`${server.url}/mcp`));
  await client.connect(transport);
  closers.push(() => client.close());
  const any: AnyClient = {
    listTools: () => client.listTools(),
    callTool: async (params, options) => toText(await client.callTool(params, options)),
  };
  return { client, transport, any };
}

function toText(result: unknown): string {
  return (result as { content: { text: string }[] }).content[0]?.text ?? '';
}

const CLIENTS: [string, () => Promise<{ any: AnyClient }>][] = [
  ['SDK v1 over Streamable HTTP', () => openV1('streamable')],
  ['SDK v1 over the SSE pair', () => openV1('sse')],
  ['SDK v2 in the legacy era', () => openV2(false)],
  ['SDK v2 in the modern era', () => openV2(true)],
];

describe.each(CLIENTS)('%s', (_, open) => {
  it('lists, calls and hears progress', async () => {
    const { any } = await open();
    expect((await any.listTools()).tools.map(({ name }) => name)).toContain('echo');
    expect(await any.callTool({ name: 'echo', arguments: { a: 'ü' } })).toBe('{"a":"ü"}');
    const seen: number[] = [];
    // The call is let go only when its progress was heard: SDK v1 drops progress that comes with the answer.
    const onprogress = ({ progress }: { progress: number }) => {
      seen.push(progress);
      sessions.release();
    };
    expect(await any.callTool({ name: 'late' }, { onprogress })).toBe('late');
    expect(seen).toEqual([1]);
  });

  it('cancels a call, and goes on', async () => {
    const { any } = await open();
    const controller = new AbortController();
    const pending = any.callTool({ name: 'hang' }, { signal: controller.signal }).catch(() => 'cancelled');
    await sessions.running();
    controller.abort();
    expect(await pending).toBe('cancelled');
    await expect.poll(() => sessions.aborted).toHaveLength(1);
    expect(await any.callTool({ name: 'echo', arguments: { b: 1 } })).toBe('{"b":1}');
  });

  it('gets only its own answers when 50 clients use the same ids at once', async () => {
    const clients = await Promise.all(Array.from({ length: 50 }, open));
    const wrong: string[] = [];
    for (let round = 0; round < 4; round++)
      await Promise.all(
        clients.map(async ({ any }, n) => {
          const canary = `${n}/${round}`;
          const text = await any.callTool({ name: 'echo', arguments: { canary } });
          if (text !== JSON.stringify({ canary })) wrong.push(text);
        }),
      );
    expect(wrong).toEqual([]);
  });
});

describe('legacy clients', () => {
  it.each(['streamable', 'sse'] as const)('are asked and notified over %s', async (kind) => {
    const { client, any } = await openV1(kind);
    expect(await any.callTool({ name: 'ask' })).toBe('{"name":"Ada"}');
    const heard = new Promise((resolve) =>
      client.setNotificationHandler(ToolListChangedNotificationSchema, resolve),
    );
    sessions.push('notifications/tools/list_changed');
    expect(await heard).toMatchObject({ method: 'notifications/tools/list_changed' });
  });

  it('end their session', async () => {
    const { transport } = await openV1('streamable');
    expect(sessions.live).toBe(1);
    await (transport as StreamableHTTPClientTransport).terminateSession();
    expect(sessions.live).toBe(0);
  });

  it('come back to a broken stream by themselves', async () => {
    let cut = (): void => {};
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      fetch: async (url, init) => {
        const controller = new AbortController();
        const calls = typeof init?.body === 'string' && init.body.includes('"late"');
        if (calls) cut = () => controller.abort();
        return fetch(url, calls ? { ...init, signal: controller.signal } : init);
      },
    });
    const client = new Client({ name: 'v1', version: '1' });
    await client.connect(transport);
    closers.push(() => client.close());
    const onprogress = () => {
      cut();
      sessions.release();
    };
    expect(toText(await client.callTool({ name: 'late' }, undefined, { onprogress }))).toBe('late');
  });
});

describe('modern clients', () => {
  it('listen for changes and stop listening', async () => {
    const { client } = await openV2(true);
    const heard = new Promise((resolve) =>
      client.setNotificationHandler('notifications/tools/list_changed', (notification) =>
        resolve(notification),
      ),
    );
    const subscription = await client.listen({ toolsListChanged: true });
    sessions.announce('notifications/tools/list_changed');
    expect(await heard).toMatchObject({ method: 'notifications/tools/list_changed' });
    await subscription.close();
    await expect.poll(() => sessions.aborted).toHaveLength(1);
  });
});

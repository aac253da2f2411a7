/** Every mode over every carrier in every era: what is listed can be called, what is hidden is absent. */

import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createPlace,
  eventually,
  fixture,
  type Place,
  PROGRAM,
  type Served,
  serve,
  untilMet,
} from '../support/program.ts';
import { openStdio } from '../support/stdio-client.ts';

const ERAS = ['legacy', 'modern'] as const;
const CARRIERS = ['stdio', 'http'] as const;
type Era = (typeof ERAS)[number];
type Carrier = (typeof CARRIERS)[number];

const echo = (name: string) => ({
  command: process.execPath,
  args: [fixture('echo-server.mjs'), '--name', name],
});

let place: Place;
let served: Served;

beforeAll(async () => {
  place = await createPlace({
    exposure: { activate: { default: 'alpha' } },
    mcpServers: {
      alpha: { ...echo('alpha'), tags: ['work'] },
      beta: echo('beta'),
    },
  });
  served = await serve(place);
  await untilMet(served, 'alpha', 'beta');
});

afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

interface Where {
  readonly mode: string;
  readonly era: Era;
  readonly carrier: Carrier;
  readonly profile?: string;
  readonly name?: string;
}

async function openClient({ mode, era, carrier, profile, name = 'modes' }: Where): Promise<Client> {
  const pin = era === 'modern' ? { pin: '2026-07-28' as const } : ('legacy' as const);
  const client = new Client({ name, version: '1.0.0' }, { versionNegotiation: { mode: pin } });
  const path = mode === 'router' ? '/router/mcp' : `/mcp/${mode}`;
  const query = profile === undefined ? '' : `?profile=${profile}`;
  const args = [PROGRAM, 'stdio', '--mode', mode, '--config', place.config, '--home', place.home];
  if (profile !== undefined) args.push('--profile', profile);
  await client.connect(
    carrier === 'http'
      ? new StreamableHTTPClientTransport(new URL(`${served.url}${path}${query}`))
      : new StdioClientTransport({ command: process.execPath, args }),
  );
  return client;
}

const textOf = (result: unknown) =>
  (result as { content: { text: string }[] }).content.map(({ text }) => text).join('\n');
const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

/** How each mode is asked to add two and three on a server. */
const CALLS: Readonly<
  Record<string, (server: string) => { name: string; arguments: Record<string, unknown> }[]>
> = {
  direct: (server) => [{ name: `${server}__add`, arguments: { a: 2, b: 3 } }],
  auto: (server) => [{ name: `${server}__add`, arguments: { a: 2, b: 3 } }],
  search: (server) => [
    { name: 'execute_mcp_tool', arguments: { tool_path: `${server}:add`, arguments: { a: 2, b: 3 } } },
  ],
  category: (server) => [{ name: `thimble_${server}`, arguments: { action: 'add', params: { a: 2, b: 3 } } }],
  router: (server) => [
    { name: 'thimble_tools', arguments: { action: `${server}:add`, params: { a: 2, b: 3 } } },
  ],
  activate: (server) => [
    { name: 'thimble_activate_server', arguments: { server } },
    { name: `${server}__add`, arguments: { a: 2, b: 3 } },
  ],
  noun: (server) => [{ name: `${server}__add`, arguments: { a: 2, b: 3 } }],
};

async function add(client: Client, mode: string, server: string): Promise<string> {
  let last: unknown;
  for (const call of CALLS[mode]?.(server) ?? []) {
    last = await client.callTool(call).catch((error: Error) => ({ content: [{ text: error.message }] }));
  }
  return textOf(last);
}

describe.each(Object.keys(CALLS))('the mode %s', (mode) => {
  for (const era of ERAS)
    for (const carrier of CARRIERS) {
      it(`lists and calls for a ${era} client over ${carrier}`, async () => {
        const client = await openClient({ mode, era, carrier });
        const names = await namesOf(client);
        expect(names.length).toBeGreaterThan(0);
        expect(await add(client, mode, 'beta')).toContain('5');
        // Prompts and resources are there whatever the mode.
        expect(await client.listPrompts()).toHaveProperty('prompts');
        await client.close();
      });

      it(`answers for a hidden tool as for an absent one, to a ${era} client over ${carrier}`, async () => {
        const client = await openClient({ mode, era, carrier, profile: 'work' });
        const said = async (server: string) =>
          (await add(client, mode, server)).replaceAll(server, 'SERVER').replace(/[;:?].*$/s, '');
        expect(await said('beta')).toBe(await said('zeta'));
        expect(await add(client, mode, 'alpha')).toContain('5');
        expect(JSON.stringify(await client.listTools())).not.toContain('beta');
        await client.close();
      });
    }
});

describe('activation', () => {
  for (const era of ERAS)
    for (const carrier of CARRIERS) {
      it(`works end to end for a ${era} client over ${carrier}`, async () => {
        const name = `activates-${era}-${carrier}`;
        const client = await openClient({ mode: 'activate', era, carrier, name });
        const before = await namesOf(client);
        expect(before).toContain('alpha__add');
        expect(before).not.toContain('beta__add');
        const early = await client.callTool({ name: 'beta__add', arguments: { a: 2, b: 3 } });
        expect(early.isError).toBe(true);
        expect(textOf(early)).toContain('thimble_activate_server with server "beta"');
        const activated = await client.callTool({
          name: 'thimble_activate_server',
          arguments: { server: 'beta' },
        });
        expect(textOf(activated)).toContain('beta__add(a: number, b: number)');
        // One that never lists again can call at once; one that does sees what it saw before, and then the new.
        expect(textOf(await client.callTool({ name: 'beta__add', arguments: { a: 2, b: 3 } }))).toContain(
          '5',
        );
        const after = await namesOf(client);
        expect(after.slice(0, before.length)).toEqual(before);
        expect(after).toContain('beta__add');
        await client.callTool({ name: 'thimble_deactivate_server', arguments: { server: 'beta' } });
        expect(await namesOf(client)).toEqual(before);
        const kept = await client.callTool({
          name: 'thimble_deactivate_server',
          arguments: { server: 'alpha' },
        });
        expect(kept.isError).toBe(true);
        await client.close();
      });
    }

  it('tells a legacy client, and nobody else, that its tools changed', async () => {
    const told: string[] = [];
    const open = async (name: string) => {
      const client = await openClient({ mode: 'activate', era: 'legacy', carrier: 'http', name });
      client.setNotificationHandler('notifications/tools/list_changed', () => void told.push(name));
      await client.listTools();
      return client;
    };
    const [one, two] = [await open('one'), await open('two')];
    await one.callTool({ name: 'thimble_activate_server', arguments: { server: 'beta' } });
    await eventually('the list changed for one', () => told.length > 0);
    expect(told).toEqual(['one']);
    expect(await namesOf(two)).not.toContain('beta__add');
    await Promise.all([one.close(), two.close()]);
  });

  it('keeps two modern clients of one person apart by name, and survives for each', async () => {
    const open = (name: string) => openClient({ mode: 'activate', era: 'modern', carrier: 'http', name });
    const [one, two] = [await open('modern-one'), await open('modern-two')];
    await one.callTool({ name: 'thimble_activate_server', arguments: { server: 'beta' } });
    expect(await namesOf(one)).toContain('beta__add');
    expect(await namesOf(two)).not.toContain('beta__add');
    const again = await open('modern-one');
    expect(await namesOf(again)).toContain('beta__add');
    await Promise.all([one.close(), two.close(), again.close()]);
  });
});

describe('what the environment decides', () => {
  const echoes = { mcpServers: { alpha: echo('alpha') } };

  it('switches category mode off: both addresses answer 404 with a sentence, one server stays reachable', async () => {
    await using own = await createPlace({ ...echoes, exposure: { category: { enabled: false } } });
    await using gateway = await serve(own);
    await untilMet(gateway, 'alpha');
    for (const path of ['/router/mcp', '/mcp/category']) {
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const answer = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body });
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain(`${path} is switched off by exposure.category.enabled`);
    }
    const health = (await (await fetch(`${gateway.url}/health`)).json()) as {
      toolCounts: { routerMode: number | null };
    };
    expect(health.toolCounts.routerMode).toBeNull();
    const client = new Client({ name: 'one', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/s/alpha/mcp`)));
    expect(await namesOf(client)).toContain('add');
    await client.close();
  });

  it('refuses to start with a default server that is not there, and names the nearest', async () => {
    await using own = await createPlace({ ...echoes, exposure: { activate: { default: 'alpa' } } });
    const wrong = openStdio(own, 'stdio', '--mode', 'activate');
    // Not when it exits: what it said last may still be in the pipe then.
    const [code] = (await once(wrong.child, 'close')) as [number];
    expect(code).not.toBe(0);
    expect(wrong.stderr()).toContain('names "alpa", but no server is called so (did you mean "alpha"?)');
  });
});

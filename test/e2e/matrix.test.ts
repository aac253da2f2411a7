/** Every pair of eras over every pair of transports: what the protocol carries arrives, whichever way it has to go. */
import { type ChildProcess, spawn } from 'node:child_process';
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

const ERAS = ['legacy', 'modern'] as const;
const CARRIERS = ['stdio', 'http'] as const;
type Era = (typeof ERAS)[number];
type Carrier = (typeof CARRIERS)[number];

const WATCHED = 'test://watched-resource';

/** One gateway in front of one server that speaks one era over one carrier. */
interface House {
  readonly place: Place;
  readonly served: Served;
  readonly server: ChildProcess | undefined;
}

const houses = new Map<string, House>();

async function openHouse(era: Era, carrier: Carrier): Promise<House> {
  let server: ChildProcess | undefined;
  let entry: Record<string, unknown> = {
    command: process.execPath,
    args: [fixture('everything/stdio.mjs'), `--${era}`],
  };
  if (carrier === 'http') {
    server = spawn(process.execPath, [fixture('everything/http.mjs'), `--${era}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    entry = { type: 'http', url: /http:\S+/.exec(String(line))?.[0] };
  }
  // Roots belong to one client, so whoever wants a server to know them gives each session its own.
  const rooted = { ...entry, interactive: 'per-session' };
  const place = await createPlace({ mcpServers: { everything: entry, rooted } as never });
  const served = await serve(place);
  await untilMet(served, 'everything', 'rooted');
  return { place, server, served };
}

beforeAll(async () => {
  for (const era of ERAS)
    for (const carrier of CARRIERS) houses.set(`${era} ${carrier}`, await openHouse(era, carrier));
});

afterAll(async () => {
  for (const { served, server, place } of houses.values()) {
    await served[Symbol.asyncDispose]();
    server?.kill();
    await place[Symbol.asyncDispose]();
  }
});

interface Opened {
  readonly client: Client;
  readonly asked: string[];
}

async function openClient(
  era: Era,
  carrier: Carrier,
  { place, served }: House,
  upstream: string,
): Promise<Opened> {
  const asked: string[] = [];
  const mode = era === 'modern' ? { pin: '2026-07-28' as const } : ('legacy' as const);
  const client = new Client(
    { name: `matrix-${era}-${carrier}`, version: '1.0.0' },
    { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { username: 'ada', email: 'ada@example.org' } };
  });
  client.setRequestHandler('sampling/createMessage', async () => {
    asked.push('sampling');
    return { role: 'assistant', model: 'none', content: { type: 'text', text: 'sampled words' } };
  });
  client.setRequestHandler('roots/list', async () => {
    asked.push('roots');
    return { roots: [{ uri: 'file:///project', name: 'project' }] };
  });
  const args = [PROGRAM, 'run', upstream, '--config', place.config, '--home', place.home];
  const transport =
    carrier === 'http'
      ? new StreamableHTTPClientTransport(new URL(`${served.url}/s/${upstream}/mcp`))
      : new StdioClientTransport({ command: process.execPath, args });
  await client.connect(transport);
  expect(client.getProtocolEra()).toBe(era);
  return { client, asked };
}

const textOf = (result: unknown) => JSON.stringify((result as { content: unknown }).content);

/** What must cross; each is one cell of the matrix. */
const CELLS: Readonly<Record<string, (opened: Opened, era: Era) => Promise<void>>> = {
  async elicit({ client, asked }) {
    const result = await client.callTool({
      name: 'test_elicitation',
      arguments: { message: 'who are you?' },
    });
    expect(textOf(result)).toContain('ada@example.org');
    expect(asked).toEqual(['who are you?']);
  },
  async sample({ client, asked }) {
    const result = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'say something' } });
    expect(textOf(result)).toContain('sampled words');
    expect(asked).toEqual(['sampling']);
  },
  async roots({ client, asked }) {
    const result = await client.callTool({ name: 'test_input_required_result_list_roots', arguments: {} });
    expect(textOf(result)).toContain('file:///project');
    expect(asked).toContain('roots');
  },
  async progress({ client }) {
    // A client that reads the last one together with the answer drops it, as one does that was kept from reading.
    await expect
      .poll(async () => {
        const seen: number[] = [];
        const onprogress = ({ progress }: { progress: number }) => seen.push(progress);
        await client.callTool({ name: 'test_tool_with_progress', arguments: {} }, { onprogress });
        return seen;
      })
      .toEqual([0, 50, 100]);
  },
  async cancel({ client }) {
    const count = async () =>
      Number(/\d+/.exec(textOf(await client.callTool({ name: 'cancellations', arguments: {} })))?.[0]);
    const before = await count();
    const stop = new AbortController();
    // The call has to be under way before it can be cancelled there; its first progress says that it is.
    const waiting = new Promise<void>((resolve, reject) => {
      const options = { signal: stop.signal, onprogress: () => resolve() };
      client.callTool({ name: 'wait', arguments: {} }, options).catch(reject);
    });
    await waiting;
    stop.abort('enough');
    await eventually('the server heard of it', async () => (await count()) === before + 1);
  },
  async log({ client }, era) {
    const heard: unknown[] = [];
    client.setNotificationHandler(
      'notifications/message',
      async ({ params }) => void heard.push(params.data),
    );
    const _meta = { 'io.modelcontextprotocol/logLevel': 'info' };
    if (era === 'legacy') await client.setLoggingLevel('info');
    await client.callTool({
      name: 'test_tool_with_logging',
      arguments: {},
      ...(era === 'modern' ? { _meta } : {}),
    });
    await expect
      .poll(() => heard)
      .toEqual(['Tool execution started', 'Tool processing data', 'Tool execution completed']);
  },
  async complete({ client }) {
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
      argument: { name: 'arg1', value: 'par' },
    });
    expect(completion.values).toEqual(['paris', 'park', 'party']);
  },
  async subscribe({ client }, era) {
    const updated: string[] = [];
    client.setNotificationHandler(
      'notifications/resources/updated',
      async ({ params }) => void updated.push(params.uri),
    );
    if (era === 'legacy') await client.subscribeResource({ uri: WATCHED });
    else await client.listen({ resourceSubscriptions: [WATCHED] });
    await eventually('the update arrives', async () => {
      await client.callTool({ name: 'test_touch_watched_resource', arguments: {} });
      return updated.includes(WATCHED);
    });
  },
  async 'list-changed'({ client }, era) {
    let told = 0;
    client.setNotificationHandler('notifications/tools/list_changed', async () => {
      told += 1;
    });
    if (era === 'modern') await client.listen({ toolsListChanged: true });
    await eventually('a change is told', async () => {
      await client.callTool({ name: 'test_trigger_tool_change', arguments: {} });
      // Once more only after a while: two changes at once would put back what was.
      await eventually('this one is told', () => told > 0, 5_000).catch(() => {});
      return told > 0;
    });
  },
};

for (const clientEra of ERAS) {
  for (const clientCarrier of CARRIERS) {
    for (const serverEra of ERAS) {
      for (const serverCarrier of CARRIERS) {
        describe(`a ${clientEra} client over ${clientCarrier}, a ${serverEra} server over ${serverCarrier}`, () => {
          it.each(Object.keys(CELLS))('%s', async (cell) => {
            const house = houses.get(`${serverEra} ${serverCarrier}`) as House;
            const upstream = cell === 'roots' ? 'rooted' : 'everything';
            const opened = await openClient(clientEra, clientCarrier, house, upstream);
            try {
              await CELLS[cell]?.(opened, clientEra);
            } finally {
              await opened.client.close();
            }
          });
        });
      }
    }
  }
}

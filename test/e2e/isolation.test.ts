/** Many clients with the same request ids, over shared servers that ask back: nobody ever gets a byte of another's. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { META } from '../../src/model/mcp.ts';
import { LOCAL_PRINCIPAL } from '../../src/model/principal.ts';
import type { HttpServer } from '../../src/transport/http/server.ts';
import { PLAIN } from '../support/plain-config.ts';
import { fixture } from '../support/program.ts';

/** How many calls are made in all; `npm run test:isolation` makes 20,000. */
const CALLS = Number(process.env['ISOLATION_CALLS'] ?? 2_000);
const CLIENTS = 200;
const UPSTREAMS = ['stdio', 'other', 'modern', 'web'] as const;

let gateway: Gateway;
let server: HttpServer;
let web: ChildProcess;

beforeAll(async () => {
  web = spawn(process.execPath, [fixture('asking.mjs'), '--port', '0'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(web.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const asking = (...args: string[]) => ({
    command: process.execPath,
    args: [fixture('asking.mjs'), ...args],
  });
  gateway = await createGateway({
    ...PLAIN,
    mcpServers: {
      stdio: asking('--legacy'),
      other: asking('--legacy', '--name', 'other'),
      modern: asking('--modern'),
      web: { type: 'http', url: String(line).trim() },
    },
  });
  server = await gateway.listen({ port: 0 });
  await Promise.all(gateway.upstreams.all.map(({ firstContact }) => firstContact));
  // A server that asks without saying for whom is known as such after its first question.
  for (const upstream of UPSTREAMS) await legacyClient('warm-up')(upstream, 'warm-up');
});

afterAll(async () => {
  await server.close();
  await gateway[Symbol.asyncDispose]();
  web.kill();
});

type Call = (upstream: string, canary: string) => Promise<string>;
const answerTo = (canary: string) => `answer to ${canary}`;
const textOf = (result: JsonObject) => (result['content'] as { text: string }[])[0]?.text ?? '';

/** A client with a session, which is asked by a request of the gateway's. */
function legacyClient(name: string): Call {
  const session = gateway.sessions.openLegacy({
    endpoint: gateway.sessions.endpointOf('/mcp', undefined),
    principal: LOCAL_PRINCIPAL,
    push() {},
  });
  const run = (method: string, params: JsonObject, canary: string) =>
    session.request(method, params, {
      id: 1,
      signal: new AbortController().signal,
      client: {
        notify() {},
        async ask(_method, { message }) {
          expect(message).toBe(canary);
          return { action: 'accept', content: { answer: answerTo(String(message)) } };
        },
      },
    });
  const capabilities = { elicitation: { form: {} } };
  const ready = run(
    'initialize',
    { protocolVersion: '2025-11-25', capabilities, clientInfo: { name, version: '1' } },
    '',
  );
  return async (upstream, canary) => {
    await ready;
    return textOf(await run('tools/call', { name: `${upstream}__ask`, arguments: { canary } }, canary));
  };
}

/** A client without a session, which is asked by a result and comes back. */
function modernClient(name: string): Call {
  const post = async (params: JsonObject): Promise<JsonObject> => {
    const _meta = {
      [META.protocolVersion]: '2026-07-28',
      [META.clientInfo]: { name, version: '1' },
      [META.clientCapabilities]: { elicitation: {} },
    };
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': String(params['name']),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta } }),
    });
    const body = await response.text();
    const json = body.startsWith('{')
      ? body
      : (/^data: (\{.*)$/m.exec(body.slice(body.lastIndexOf('data: ')))?.[1] ?? '');
    const { result, error } = JSON.parse(json) as { result: JsonObject; error?: { message: string } };
    if (error) throw new Error(error.message);
    return result;
  };
  return async (upstream, canary) => {
    const params = { name: `${upstream}__ask`, arguments: { canary } };
    const asked = await post(params);
    const [[key, question] = ['', { params: { message: '' } }]] = Object.entries(
      (asked['inputRequests'] ?? {}) as Record<string, { params: { message: string } }>,
    );
    expect(question.params.message).toBe(canary);
    const inputResponses = { [key]: { action: 'accept', content: { answer: answerTo(canary) } } };
    return textOf(await post({ ...params, inputResponses, requestState: asked['requestState'] }));
  };
}

describe(`${CLIENTS} sessions and ${CLIENTS} clients without one`, () => {
  it('each get their own questions and answers, whatever the ids, without an error or a hang', async () => {
    const clients = [
      ...Array.from({ length: CLIENTS }, (_, at) => ({
        name: `legacy-${at}`,
        call: legacyClient(`legacy-${at}`),
      })),
      ...Array.from({ length: CLIENTS }, (_, at) => ({
        name: `modern-${at}`,
        call: modernClient(`modern-${at}`),
      })),
    ];
    const rounds = Math.ceil(CALLS / clients.length);
    let done = 0;
    await Promise.all(
      clients.map(async ({ name, call }, at) => {
        for (let round = 0; round < rounds; round++) {
          const canary = `${name}-${round}-${Math.random()}`;
          const upstream = UPSTREAMS[(at + round) % UPSTREAMS.length] ?? 'web';
          expect(await call(upstream, canary)).toBe(`${canary} got ${answerTo(canary)}`);
          done += 1;
        }
      }),
    );
    expect(done).toBe(rounds * clients.length);
  }, 600_000);
});

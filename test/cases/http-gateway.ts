/** A gateway in this process, served over HTTP, with a server behind it that says back what it was sent. */
import { createGateway, type Gateway } from '../../src/gateway.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { HttpServer } from '../../src/transport/http/server.ts';
import { PLAIN } from '../support/plain-config.ts';
import { fixture } from '../support/program.ts';
import { POST_HEADERS, type RawAnswer, send } from '../support/raw-http.ts';

/** A gateway with a session opened at it. */
export interface HttpGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly server: HttpServer;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sends one message in the session. */
  post(body: unknown, headers?: Record<string, string | undefined>): Promise<RawAnswer>;
}

/** Opens the gateway and a legacy session. */
export async function openHttpGateway(...args: string[]): Promise<HttpGateway> {
  const gateway = await createGateway({
    ...PLAIN,
    mcpServers: { mirror: { command: process.execPath, args: [fixture('mirror.mjs'), '--legacy', ...args] } },
  });
  await Promise.all(gateway.upstreams.all.map(({ firstContact }) => firstContact));
  const server = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const url = `${server.url}/mcp/direct`;
  const opened = await send(url, { method: 'POST', headers: POST_HEADERS, body: INITIALIZE });
  const headers = { ...POST_HEADERS, 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  const post = (body: unknown, more: Record<string, string | undefined> = {}) =>
    send(url, { method: 'POST', headers: { ...headers, ...more }, body });
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await post({ jsonrpc: '2.0', id: 'list', method: 'tools/list' });
  return {
    gateway,
    server,
    url,
    headers,
    post,
    async [Symbol.asyncDispose]() {
      await server.close();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

/** True when a good request still gets its right answer. */
export async function servesOn({ post }: HttpGateway): Promise<boolean> {
  const params = { name: 'echo', arguments: { text: 'next' } };
  const answer = await post({ jsonrpc: '2.0', id: 'next', method: 'tools/call', params });
  const [first] = ((answer.json['result'] as JsonObject)['content'] as JsonObject[]) ?? [];
  return String(first?.['text']).includes('"text":"next"');
}

const INITIALIZE: JsonObject = {
  jsonrpc: '2.0',
  id: 'open',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'cases', version: '1' } },
};

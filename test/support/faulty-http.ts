/** An MCP server at a URL that answers each tool in its own wrong way. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { JsonObject } from '../../src/model/json.ts';

/** A running server. */
export interface FaultyHttp extends AsyncDisposable {
  readonly port: number;
  /** How often each tool was called. */
  readonly calls: ReadonlyMap<string, number>;
}

type Answer = (response: ServerResponse, body: string, request: IncomingMessage) => void;

const json = (response: ServerResponse, body: string) =>
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);

/** What each tool does with its answer. */
const MISDEEDS: Readonly<Record<string, Answer>> = {
  busy: (response) => response.writeHead(429, { 'Retry-After': '7' }).end('slow down'),
  broken: (response) => response.writeHead(500).end('no'),
  locked: (response) => response.writeHead(401).end(),
  reset(response, body) {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
    response.write(body.slice(0, body.length / 2), () => response.socket?.resetAndDestroy());
  },
  bomb(response) {
    const bytes = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(bytes);
  },
  page: (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome</h1>'),
  moved(response, body, request) {
    if (request.url === '/moved') json(response, body);
    else response.writeHead(307, { Location: '/moved' }).end();
  },
  elsewhere: (response) => response.writeHead(307, { Location: 'http://127.0.0.2:9/mcp' }).end(),
  stream(response, body) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.end(`: a remark\r\nid: 1\r\nevent: message\r\ndata: ${body}\r\n\r\n`);
  },
};

/** Starts the server on a free port. */
export async function startFaultyHttp(): Promise<FaultyHttp> {
  const calls = new Map<string, number>();
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const {
      id,
      method,
      params = {},
    } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
      id?: number;
      method: string;
      params?: JsonObject;
    };
    if (id === undefined) return void response.writeHead(202).end();
    const name = method === 'tools/call' ? String(params['name']) : '';
    if (name !== '') calls.set(name, (calls.get(name) ?? 0) + 1);
    const body = JSON.stringify({ jsonrpc: '2.0', id, ...toOutcome(method, params) });
    (MISDEEDS[name] ?? json)(response, body, request);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    calls,
    [Symbol.asyncDispose]() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function toOutcome(method: string, params: JsonObject): JsonObject {
  const said = (params['arguments'] as JsonObject | undefined)?.['text'] ?? 'ok';
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: String(params['protocolVersion']),
          serverInfo: { name: 'faulty-http', version: '1' },
          capabilities: { tools: {} },
        },
      };
    case 'tools/list':
      return { result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } };
    case 'tools/call':
      return { result: { content: [{ type: 'text', text: said }] } };
    default:
      return { error: { code: -32601, message: `Method not found: ${method}` } };
  }
}

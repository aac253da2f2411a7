/** A registry of servers on this machine: the API's shape and paging, and every kind of trouble on request. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../src/model/json.ts';
import { listen } from './http-server.ts';

/** What the registry does instead of answering. */
export type Trouble =
  | 'none'
  | 'silent'
  | 'error'
  | 'once'
  | 'busy'
  | 'html'
  | 'array'
  | 'wrong'
  | 'huge'
  | 'cut'
  | 'loop';

/** A registry that listens. */
export interface RegistryFixture extends AsyncDisposable {
  readonly url: string;
  /** The paths that were asked for. */
  readonly asked: string[];
  /** How many servers a page holds. */
  pageSize: number;
  trouble: Trouble;
  /** The server.json documents it has; the last of a name is the latest. */
  readonly servers: JsonObject[];
  /** Only answers under this first part of the path, as older registries do. */
  prefix: string | undefined;
}

/** Starts one. */
export async function startRegistry(servers: readonly JsonObject[] = []): Promise<RegistryFixture> {
  const listening = await listen((request, response) => answer(fixture, request, response));
  const fixture: RegistryFixture = {
    url: listening.origin,
    asked: [],
    pageSize: 30,
    trouble: 'none',
    servers: [...servers],
    prefix: undefined,
    [Symbol.asyncDispose]: () => listening.close(),
  };
  return fixture;
}

function answer(fixture: RegistryFixture, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', fixture.url);
  fixture.asked.push(`${url.pathname}${url.search}`);
  if (makeTrouble(fixture, response)) return;
  const body = find(fixture, url);
  send(response, body ? 200 : 404, body ?? { error: 'Server not found' });
}

function find(fixture: RegistryFixture, url: URL): JsonObject | undefined {
  const [, prefix = '', , name, , version = ''] = url.pathname.split('/').map(decodeURIComponent);
  const isKnown = fixture.prefix === undefined ? ['v0', 'v0.1'].includes(prefix) : prefix === fixture.prefix;
  if (!isKnown) return undefined;
  return name === undefined ? toPage(fixture, url.searchParams) : toOne(fixture, name, version);
}

function toOne({ servers }: RegistryFixture, name: string, version: string): JsonObject | undefined {
  const named = servers.filter((server) => server['name'] === name);
  const found = version === 'latest' ? named.at(-1) : named.find((server) => server['version'] === version);
  return found && wrap(found);
}

function toPage({ servers, pageSize }: RegistryFixture, query: URLSearchParams): JsonObject {
  const search = (query.get('search') ?? '').toLowerCase();
  const latest = [...new Map(servers.map((server) => [String(server['name']), server])).values()];
  const found = latest.filter((server) => String(server['name']).toLowerCase().includes(search));
  const from = Number(query.get('cursor') ?? 0);
  const page = found.slice(from, from + Math.min(pageSize, Number(query.get('limit') ?? pageSize)));
  const next = from + page.length;
  return {
    servers: page.map(wrap),
    metadata: { count: page.length, ...(next < found.length && { nextCursor: String(next) }) },
  };
}

function wrap(server: JsonObject): JsonObject {
  const { status = 'active', ...rest } = server;
  return { server: rest, _meta: { 'io.modelcontextprotocol.registry/official': { status, isLatest: true } } };
}

function makeTrouble(fixture: RegistryFixture, response: ServerResponse): boolean {
  switch (fixture.trouble) {
    case 'none':
      return false;
    case 'silent':
      return true;
    case 'once':
      fixture.trouble = 'none';
      send(response, 503, {});
      return true;
    case 'error':
      send(response, 500, { error: 'broken' });
      return true;
    case 'busy':
      send(response, 429, { error: 'slow down' });
      return true;
    case 'html':
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<html><body>Log in to the hotel</body></html>');
      return true;
    case 'array':
      response.writeHead(200, { 'content-type': 'application/json' }).end('[1,2,3]');
      return true;
    case 'wrong':
      send(response, 200, { servers: 'many', metadata: 7 });
      return true;
    case 'huge':
      response.writeHead(200, { 'content-type': 'application/json' });
      writeForever(response);
      return true;
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
      response.write('{"servers":[');
      response.destroy();
      return true;
    case 'loop':
      send(response, 200, { servers: [], metadata: { nextCursor: 'again' } });
      return true;
  }
}

function writeForever(response: ServerResponse): void {
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

function send(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** An authorization server and an MCP server that it protects, small enough to see everything they are sent. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Authoriser } from '../../src/upstream/credentials/credentials.ts';

/** A request as it arrived. */
export interface SeenRequest {
  readonly path: string;
  readonly params: URLSearchParams;
  readonly body: string;
  readonly authorization: string | undefined;
}

/** What tests do with an authorization server. */
export interface FakeAuthorization {
  readonly issuer: string;
  readonly seen: SeenRequest[];
  /** How long the next access tokens live, in seconds. */
  lifetime: number;
  /** Answers the next token requests with this status instead. */
  failing: { readonly status: number; readonly error: string } | undefined;
  scopeOf(token: string): string | undefined;
  /** Takes back all access tokens, and the refresh tokens too when asked to. */
  revoke(options?: { readonly refresh: boolean }): void;
  tokenRequests(grant: string): SeenRequest[];
  close(): Promise<void>;
}

/** What tests do with a protected server. */
export interface FakeResource {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** Which authorization server it names. */
  issuer: string;
  /** The scope that calls of tools need. */
  needed: string | undefined;
  /** True when only calls of tools need a token. */
  half: boolean;
  close(): Promise<void>;
}

/** Starts an authorization server. */
export async function startAuthorization(): Promise<FakeAuthorization> {
  const codes = new Map<string, { challenge: string; scope: string }>();
  const access = new Map<string, string>();
  const refresh = new Map<string, string>();
  const seen: SeenRequest[] = [];
  const server = await listen(async (request, response) => {
    const arrived = await read(request, seen);
    const { path, params } = arrived;
    if (path === '/.well-known/oauth-authorization-server')
      return json(response, 200, toMetadata(fake.issuer));
    if (path === '/register')
      return json(response, 201, { client_id: `client-${randomUUID()}`, ...JSON.parse(arrived.body) });
    if (path === '/authorize') return authorise(params, response);
    if (path === '/token') return giveTokens(new URLSearchParams(arrived.body), response);
    return json(response, 404, {});
  });

  function authorise(params: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID();
    codes.set(code, { challenge: params.get('code_challenge') ?? '', scope: params.get('scope') ?? '' });
    const back = new URL(params.get('redirect_uri') ?? '');
    back.search = String(new URLSearchParams({ code, state: params.get('state') ?? '', iss: fake.issuer }));
    response.writeHead(302, { Location: back.href }).end();
  }

  function giveTokens(body: URLSearchParams, response: ServerResponse): ServerResponse {
    if (fake.failing) return json(response, fake.failing.status, { error: fake.failing.error });
    const scope = redeem(body);
    if (scope === undefined) return json(response, 400, { error: 'invalid_grant' });
    const tokens = { access_token: randomUUID(), refresh_token: randomUUID() };
    access.set(tokens.access_token, scope);
    const isOwn = body.get('grant_type') === 'client_credentials';
    if (!isOwn) refresh.set(tokens.refresh_token, scope);
    return json(response, 200, { ...tokens, token_type: 'Bearer', expires_in: fake.lifetime, scope });
  }

  /** Codes and refresh tokens are good for one use. */
  function redeem(body: URLSearchParams): string | undefined {
    if (body.get('grant_type') === 'client_credentials') return body.get('scope') ?? '';
    const token = body.get('refresh_token') ?? '';
    const kept = refresh.get(token);
    refresh.delete(token);
    if (body.get('grant_type') === 'refresh_token') return kept;
    const code = codes.get(body.get('code') ?? '');
    codes.delete(body.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    return code?.challenge === challenge ? code.scope : undefined;
  }

  const fake: FakeAuthorization = {
    issuer: server.origin,
    seen,
    lifetime: 3_600,
    failing: undefined,
    scopeOf: (token) => access.get(token),
    revoke(options) {
      access.clear();
      if (options?.refresh) refresh.clear();
    },
    tokenRequests: (grant) =>
      seen.filter(({ path, body }) => path === '/token' && body.includes(`grant_type=${grant}`)),
    close: server.close,
  };
  return fake;
}

/** Starts an MCP server with one tool, behind the given authorization servers. */
export function startResource(...servers: readonly FakeAuthorization[]): Promise<FakeResource> {
  return serveResource('streamable', servers);
}

/** The same over HTTP with server-sent events, as in revision 2024-11-05. */
export function startSseResource(...servers: readonly FakeAuthorization[]): Promise<FakeResource> {
  return serveResource('sse', servers);
}

async function serveResource(
  kind: 'streamable' | 'sse',
  servers: readonly FakeAuthorization[],
): Promise<FakeResource> {
  const seen: SeenRequest[] = [];
  const streams: ServerResponse[] = [];
  const server = await listen(async (request, response) => {
    const arrived = await read(request, seen);
    if (arrived.path.startsWith('/.well-known/oauth-protected-resource'))
      return json(response, 200, { resource: fake.url, authorization_servers: [fake.issuer] });
    const stream = streams[Number(arrived.params.get('stream') ?? -1)];
    const isStreamWanted = kind === 'sse' && request.method === 'GET';
    if (!isStreamWanted && (request.method !== 'POST' || (kind === 'sse' && !stream)))
      return json(response, 405, {});
    const message = JSON.parse(arrived.body || '{}') as { id?: number; method?: string };
    const token = arrived.authorization?.replace(/^Bearer /, '') ?? '';
    const scope = servers.map(({ scopeOf }) => scopeOf(token)).find((found) => found !== undefined);
    const isOpen = fake.half && message.method !== 'tools/call';
    if (scope === undefined && !isOpen) return challenge(response, 401, 'error="invalid_token"');
    if (message.method === 'tools/call' && fake.needed && !scope?.split(' ').includes(fake.needed))
      return challenge(response, 403, `error="insufficient_scope", scope="${fake.needed}"`);
    if (isStreamWanted) return openStream(response);
    if (message.id === undefined) return response.writeHead(202).end();
    const reply = { jsonrpc: '2.0', id: message.id, ...answer(message.method) };
    if (!stream) return json(response, 200, reply);
    stream.write(`event: message\ndata: ${JSON.stringify(reply)}\n\n`);
    return response.writeHead(202).end();
  });

  function openStream(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(`event: endpoint\ndata: /mcp?stream=${streams.push(response) - 1}\n\n`);
  }

  function challenge(response: ServerResponse, status: number, said: string): void {
    const metadata = `${server.origin}/.well-known/oauth-protected-resource/mcp`;
    response.setHeader('WWW-Authenticate', `Bearer resource_metadata="${metadata}", ${said}`);
    json(response, status, { error: 'no' });
  }

  const fake: FakeResource = {
    url: `${server.origin}/mcp`,
    seen,
    issuer: servers[0]?.issuer ?? '',
    needed: undefined,
    half: false,
    close: server.close,
  };
  return fake;
}

/** A person who agrees to everything, and what they were shown. */
export function createAgreeable(
  change: (params: URLSearchParams) => void = () => {},
): Authoriser & { readonly shown: URL[] } {
  const shown: URL[] = [];
  return {
    shown,
    redirectUrl: 'http://127.0.0.1:1/callback',
    async authorise(url) {
      shown.push(url);
      const response = await fetch(url, { redirect: 'manual' });
      const { searchParams } = new URL(response.headers.get('location') ?? '');
      change(searchParams);
      return searchParams;
    },
  };
}

function toMetadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
  };
}

function answer(method: string | undefined): object {
  const serverInfo = { name: 'protected', version: '1' };
  if (method === 'initialize')
    return { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } };
  if (method === 'tools/list')
    return { result: { tools: [{ name: 'secret', inputSchema: { type: 'object' } }] } };
  if (method === 'tools/call') return { result: { content: [{ type: 'text', text: 'told' }] } };
  return { error: { code: -32601, message: 'unknown' } };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

async function listen(handler: Handler): Promise<{ origin: string; close(): Promise<void> }> {
  const server = createServer((request, response) => void handler(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(request: IncomingMessage, seen: SeenRequest[]): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
  const { authorization } = request.headers;
  const arrived = {
    path: pathname,
    params: searchParams,
    body: Buffer.concat(chunks).toString(),
    authorization,
  };
  seen.push(arrived);
  return arrived;
}

function json(response: ServerResponse, status: number, body: object): ServerResponse {
  return response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

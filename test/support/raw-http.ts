/** Raw HTTP requests for tests: every header is under the test's control, Host and Origin included. */
import {
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from 'node:http';
import type { JsonObject } from '../../src/model/json.ts';
import { META, MODERN_REVISION } from '../../src/model/mcp.ts';

/** A whole answer. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON. */
  readonly json: JsonObject;
}

/** An answer still being read, event by event. */
export interface RawStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The next event that carries data or an id; undefined at the end. */
  next(): Promise<RawEvent | undefined>;
  /** Cuts the connection. */
  cut(): void;
}

/** One server-sent event. */
interface RawEvent {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data: string;
}

/** What to send. */
export interface RawRequest {
  readonly method?: string;
  readonly headers?: Record<string, string | undefined>;
  readonly body?: unknown;
  /** Where connections are kept for further requests; without it each has one of its own. */
  readonly agent?: Agent;
}

/** The headers every well-behaved POST carries. */
export const POST_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** Sends a request and reads the whole answer. */
export async function send(url: string, options: RawRequest = {}): Promise<RawAnswer> {
  const response = await start(url, options);
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text) as JsonObject;
    },
  };
}

/** Sends a request and reads the answer as a stream of events. */
export async function stream(url: string, options: RawRequest = {}): Promise<RawStream> {
  const response = await start(url, options);
  const events = readEvents(response);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    async next() {
      const { value } = await events.next();
      return value ?? undefined;
    },
    cut: () => void response.destroy(),
  };
}

/** A modern request with all it needs. */
export function toModern(method: string, params: JsonObject = {}, id: string | number = 1): RawRequest {
  const name = params['name'];
  return {
    method: 'POST',
    headers: {
      ...POST_HEADERS,
      'mcp-protocol-version': MODERN_REVISION,
      'mcp-method': method,
      'mcp-name': typeof name === 'string' ? name : undefined,
    },
    body: {
      jsonrpc: '2.0',
      id,
      method,
      params: {
        ...params,
        _meta: {
          [META.protocolVersion]: MODERN_REVISION,
          [META.clientInfo]: { name: 'raw', version: '1' },
          [META.clientCapabilities]: {},
          ...(params['_meta'] as JsonObject | undefined),
        },
      },
    },
  };
}

/** Starts a request without waiting for anything. */
export function begin(url: string, { method = 'GET', headers = {}, body, agent }: RawRequest): ClientRequest {
  const outgoing = request(url, { method, agent: agent ?? false, setHost: headers['host'] === undefined });
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) outgoing.setHeader(name, value);
  outgoing.end(
    body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  );
  return outgoing;
}

function start(url: string, options: RawRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    begin(url, options).on('response', resolve).on('error', reject);
  });
}

async function* readEvents(response: IncomingMessage): AsyncGenerator<RawEvent> {
  let text = '';
  try {
    for await (const chunk of response) {
      text += String(chunk);
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        if (!block.startsWith(':')) yield toEvent(block);
      }
    }
  } catch {
    // A cut connection ends the events like any other end.
  }
}

function toEvent(block: string): RawEvent {
  const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line)?.slice(1) ?? []);
  return { data: '', ...Object.fromEntries(fields) } as RawEvent;
}

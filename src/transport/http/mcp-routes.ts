/** Leads a request at an MCP address to the face that serves it: modern, legacy, or the SSE pair. */
import { GatewayError } from '../../errors/gateway-error.ts';
import { idOf, isRequest, type Message, parseMessage } from '../../wire/message.ts';
import { toStoppingError } from '../calls.ts';
import { isModernRevision } from '../era.ts';
import { toKnownError } from '../fault.ts';
import { BATCH_LIMIT } from '../limits.ts';
import { toMessageError } from '../message-error.ts';
import type { Address } from './address.ts';
import { readJsonBody } from './body.ts';
import { checkAccept, checkContentType } from './headers.ts';
import type { HttpContext, HttpExchange } from './http-context.ts';
import { createLegacyFace } from './legacy.ts';
import { createModernFace, isModernPost, versionHeaderOf } from './modern.ts';
import { sendError } from './reply.ts';
import { createShareDoor } from './share-door.ts';
import { createPairFace } from './sse-pair.ts';

/** Serves everything that is MCP. */
export interface McpRoutes {
  /** Answers one request, or throws what should be answered. */
  serve(address: Address, exchange: HttpExchange): Promise<void>;
  close(): void;
}

const JSON_TYPE = 'application/json';
const SSE_TYPE = 'text/event-stream';

/** Creates the three faces and the way to them. */
export function createMcpRoutes(context: HttpContext): McpRoutes {
  const legacy = createLegacyFace(context);
  const modern = createModernFace(context);
  const pairs = createPairFace(context);
  const door = createShareDoor({
    ...context,
    shares: context.shares,
    // All three, whatever the first says.
    end: (isOver) => [legacy, modern, pairs].map((face) => face.endShares(isOver)).includes(true),
  });

  function withOwner(address: Address, authorization: string | undefined): Address {
    return authorization !== undefined && context.isOwner?.(authorization)
      ? { ...address, owner: true }
      : address;
  }

  async function readBody(address: Address, { request }: HttpExchange): Promise<unknown> {
    const body = await readJsonBody(request);
    if (address.guest) await door.check(address);
    return body;
  }

  async function post(address: Address, pair: HttpExchange): Promise<void> {
    const { headers } = pair.request;
    checkContentType(headers);
    checkAccept(headers, [JSON_TYPE, SSE_TYPE]);
    const body = await readBody(address, pair);
    if (Array.isArray(body)) postBatch(address, toBatch(body), pair);
    else postOne(address, body, pair);
  }

  function postBatch(address: Address, messages: readonly Message[], pair: HttpExchange): void {
    if (messages.some((message) => isModernPost(message, pair.request.headers))) throw toBatchRefusal();
    refuseWhenStopping(messages);
    legacy.post(address, messages, true, pair);
  }

  function postOne(address: Address, body: unknown, pair: HttpExchange): void {
    try {
      const message = toMessage(body);
      refuseWhenStopping([message]);
      if (isModernPost(message, pair.request.headers)) modern.post(address, message, pair);
      else legacy.post(address, [message], false, pair);
    } catch (thrown) {
      // From here on the client can be told which of its requests is refused.
      const error = toKnownError(thrown, `POST ${address.path.slice(0, 100)}`, context.feed);
      sendError(pair.response, error, idOf(body));
    }
  }

  /** Answers and notifications still pass: calls in flight may wait for them. */
  function refuseWhenStopping(messages: readonly Message[]): void {
    if (context.calls.stopping && messages.some(isRequest)) throw toStoppingError();
  }

  async function serveMcp(address: Address, pair: HttpExchange): Promise<void> {
    const { method, headers } = pair.request;
    if (method === 'POST') return post(address, pair);
    if ((method !== 'GET' && method !== 'DELETE') || isModernRevision(versionHeaderOf(headers)))
      throw toMethodError(method, 'POST');
    if (method === 'DELETE') return legacy.delete(address, pair);
    if (context.calls.stopping) throw toStoppingError();
    checkAccept(headers, [SSE_TYPE]);
    legacy.get(address, pair);
  }

  async function serveMessages(address: Address, pair: HttpExchange): Promise<void> {
    if (pair.request.method !== 'POST') throw toMethodError(pair.request.method, 'POST');
    checkContentType(pair.request.headers);
    pairs.post(address, toMessage(await readBody(address, pair)), pair);
  }

  return {
    async serve(asked, pair) {
      const { headers } = pair.request;
      const address =
        asked.share === undefined
          ? withOwner(asked, headers.authorization)
          : await door.admit(asked, headers);
      if (address.face === 'mcp') return serveMcp(address, pair);
      if (address.face === 'messages') return serveMessages(address, pair);
      if (pair.request.method !== 'GET') throw toMethodError(pair.request.method, 'GET');
      if (context.calls.stopping) throw toStoppingError();
      checkAccept(pair.request.headers, [SSE_TYPE]);
      pairs.open(address, pair);
    },
    close() {
      door.close();
      modern.close();
      legacy.close();
      pairs.close();
    },
  };
}

function toMessage(value: unknown): Message {
  const message = parseMessage(value);
  if (message) return message;
  throw toMessageError(value);
}

function toBatch(values: readonly unknown[]): readonly Message[] {
  if (values.length > 0 && values.length <= BATCH_LIMIT) return values.map(toMessage);
  throw new GatewayError(
    'INVALID_REQUEST',
    `a batch holds ${values.length} messages; send between 1 and ${BATCH_LIMIT}`,
  );
}

function toBatchRefusal(): GatewayError {
  return new GatewayError('INVALID_REQUEST', 'the modern era has no batches; send one request a POST');
}

function toMethodError(method: string | undefined, allowed: string): GatewayError {
  return new GatewayError('METHOD_NOT_ALLOWED', `${method} is not used at this address; use ${allowed}`, {
    data: { allow: allowed },
  });
}

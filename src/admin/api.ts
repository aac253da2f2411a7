/** The admin API: every operation at `POST /api/<noun>/<verb>`, behind the local token without exception. */
import { toJsonSchema } from '../builtin/json-schema.ts';
import { fromUnknown } from '../errors/from-unknown.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { toHttpStatus } from '../errors/to-wire.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import type { House } from '../operations/house.ts';
import { findOperation, loadOperations } from '../operations/nouns/registry.ts';
import { perform } from '../operations/perform.ts';
import { carriesToken } from './token.ts';

/** What the API needs. */
export interface ApiParts {
  readonly token: string;
  /** The house an operation runs in, for the length of one request. */
  readonly toHouse: (call: Pick<House, 'tell' | 'signal'>) => House;
}

const ROOT = '/api';
const BODY_LIMIT = 1_048_576;
const OPERATION = /^\/api\/([a-z_]{1,40})\/([a-z_]{1,40})$/;

/** Creates it: answers what is under `/api`, and undefined for everything else. */
export function createApi(parts: ApiParts): (request: Request) => Promise<Response | undefined> {
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname !== ROOT && !pathname.startsWith(`${ROOT}/`)) return undefined;
    try {
      // Before anything else: a stranger is not even told what exists.
      if (!carriesToken(request.headers.get('authorization'), parts.token))
        throw new GatewayError(
          'TOKEN_REFUSED',
          'the admin API needs the local token: Authorization: Bearer, then the text in the file admin-token of the data directory',
        );
      return await answer(request, pathname, parts);
    } catch (error) {
      return refuse(error);
    }
  };
}

async function answer(request: Request, pathname: string, parts: ApiParts): Promise<Response> {
  if (pathname === ROOT) return Response.json({ operations: await describeOperations() });
  const [, noun = '', verb = ''] = OPERATION.exec(pathname) ?? [];
  if (noun === '')
    throw new GatewayError(
      'ENDPOINT_NOT_FOUND',
      `nothing is at ${pathname.slice(0, 100)}; operations are at POST /api/<noun>/<verb>, and GET /api lists them`,
    );
  const operation = await findOperation(noun, verb);
  if (request.method !== 'POST')
    throw new GatewayError('METHOD_NOT_ALLOWED', `${pathname} takes POST with a JSON object`, {
      data: { allow: 'POST' },
    });
  const args = await readArguments(request);
  const house = parts.toHouse({ tell() {}, signal: request.signal });
  const performed = await perform(operation, args, house, async () => 'later');
  if (performed.is === 'done') return Response.json({ result: performed.output, text: performed.text });
  const { id, plan, text } = performed;
  return Response.json({ pending: { id, plan, approve: `thimble approve ${id}` }, text }, { status: 202 });
}

async function describeOperations(): Promise<readonly JsonObject[]> {
  const operations = await loadOperations();
  return operations.map(({ noun, verb, summary, effects, input, output }) => ({
    path: `${ROOT}/${noun}/${verb}`,
    summary,
    effects,
    input: toJsonSchema(input, 'input'),
    output: toJsonSchema(output, 'output'),
  }));
}

async function readArguments(request: Request): Promise<JsonObject> {
  const type = request.headers.get('content-type') ?? '';
  // A form of another site can post text without asking first, but not this type.
  if (!/^application\/json\b/i.test(type))
    throw new GatewayError('UNSUPPORTED_MEDIA', 'the body has to be application/json');
  const text = await readBounded(request);
  const value = parse(text.trim() === '' ? '{}' : text);
  if (isJsonObject(value)) return value;
  throw new GatewayError('INVALID_PARAMS', 'the body has to be a JSON object with the inputs by name');
}

async function readBounded(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > BODY_LIMIT)
      throw new GatewayError('BODY_TOO_LARGE', `the body is larger than ${BODY_LIMIT} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('PARSE_ERROR', 'the body is not JSON', { cause });
  }
}

function refuse(thrown: unknown): Response {
  const error = fromUnknown(thrown);
  const { code, message, data } = error;
  const headers: Record<string, string> = {};
  if (code === 'TOKEN_REFUSED') headers['www-authenticate'] = 'Bearer';
  if (code === 'METHOD_NOT_ALLOWED') headers['allow'] = 'POST';
  return Response.json({ error: { code, message, data } }, { status: toHttpStatus(error), headers });
}

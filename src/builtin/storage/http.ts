/** The HTTP face of storage: signed uploads and downloads, streamed both ways; it needs nothing but a Request. */
import { GatewayError } from '../../errors/gateway-error.ts';
import { toHttpStatus } from '../../errors/to-wire.ts';
import type { BuiltinRoutes } from '../builtin.ts';
import { toToldError } from '../fault.ts';
import { findStorage, type Storage, type StorageServerParts } from './context.ts';
import { toDisposition } from './file-name.ts';
import { parseMimeType } from './file-types.ts';
import { parseRange } from './range.ts';
import { toLinkError } from './refusals.ts';
import type { Purpose } from './signer.ts';
import type { FileRow } from './tables.ts';
import { toWebStream } from './web-stream.ts';

interface Route {
  readonly methods: readonly string[];
  answer(storage: Storage, key: string, request: Request): Promise<Response>;
}

const ROUTES: Readonly<Record<Purpose, Route>> = {
  file: { methods: ['GET', 'HEAD'], answer: download },
  upload: { methods: ['PUT', 'POST'], answer: upload },
};

const PATH = /^\/storage\/(file|upload)\/([a-z0-9]{1,64})$/;

/** For every answer: whatever somebody uploaded must not act as a page of ours, nor its address be told to others. */
const GUARDS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-cache',
};

/** Statuses that say more than the error's own row does. */
const STATUS_BY_REASON: Readonly<Record<string, number>> = { quota: 507, busy: 409, link: 403 };

/** Creates the routes under `/storage/`; storage is opened with the first request for one. */
export function createStorageRoutes(parts: StorageServerParts): BuiltinRoutes {
  const { open } = findStorage(parts);
  return async (request) => {
    const url = new URL(request.url);
    const [, purpose, key = ''] = PATH.exec(url.pathname) ?? [];
    if (purpose === undefined) return undefined;
    try {
      return await serve(await open(), purpose as Purpose, key, request, url.searchParams);
    } catch (thrown) {
      return toErrorResponse(toToldError(thrown, parts.onFault));
    }
  };
}

async function serve(
  storage: Storage,
  purpose: Purpose,
  key: string,
  request: Request,
  query: URLSearchParams,
): Promise<Response> {
  const { methods, answer } = ROUTES[purpose];
  if (!methods.includes(request.method)) return toMethodResponse(request.method, methods);
  // Before anything else, so that nobody learns without a link which files there are.
  const verdict = storage.signer.check(purpose, key, query);
  if (verdict !== 'good') throw toLinkError(verdict);
  return answer(storage, key, request);
}

async function upload({ uploads }: Storage, key: string, request: Request): Promise<Response> {
  const type = request.headers.get('content-type');
  const file = await uploads.receive(key, {
    content: toContent(request),
    length: parseLength(request.headers.get('content-length')),
    mimeType: checkBodyType(type),
  });
  return toJson(201, {
    key: file.id,
    name: file.name,
    mime_type: file.mime_type,
    size: file.size,
    sha256: file.sha256,
  });
}

async function* toContent({ body }: Request): AsyncGenerator<Uint8Array> {
  // A refused body is not cancelled: that would cut the connection before the refusal is read.
  if (body) yield* body.values({ preventCancel: true }) as AsyncIterable<Uint8Array>;
}

function parseLength(header: string | null): number | undefined {
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

/** A form would be stored with its envelope; that is never what was meant. */
function checkBodyType(header: string | null): string | undefined {
  const type = header === null ? undefined : parseMimeType(header);
  if (type !== 'multipart/form-data') return type === FORM_TYPE ? undefined : type;
  throw new GatewayError(
    'UNSUPPORTED_MEDIA',
    'the upload is a form; send the bytes of the file as the body instead, such as with `curl -T FILE URL`',
  );
}

/** What `curl --data-binary` says of any body. */
const FORM_TYPE = 'application/x-www-form-urlencoded';

async function download({ files }: Storage, key: string, request: Request): Promise<Response> {
  const file = await files.findForAnyone(key);
  const headers = toFileHeaders(file);
  if (request.headers.get('if-none-match') === headers['etag']) return respond(304, headers, null);
  const range = parseRange(toWantedRange(request, headers['etag']), file.size);
  if (range === 'impossible')
    return respond(416, { ...headers, 'content-range': `bytes */${file.size}`, 'content-length': '0' }, null);
  const { start, end } = range === 'whole' ? { start: 0, end: file.size - 1 } : range;
  const sized = {
    ...headers,
    'content-length': String(end - start + 1),
    ...(range === 'whole' ? {} : { 'content-range': `bytes ${start}-${end}/${file.size}` }),
  };
  const status = range === 'whole' ? 200 : 206;
  if (request.method === 'HEAD') return respond(status, sized, null);
  const content = await files.read(file, range === 'whole' ? undefined : range);
  return respond(status, sized, toWebStream(content));
}

/** The range, unless it was asked for of an older content. */
function toWantedRange({ headers }: Request, etag: string | undefined): string | null {
  const ofContent = headers.get('if-range');
  return ofContent === null || ofContent === etag ? headers.get('range') : null;
}

function toFileHeaders(file: FileRow): Record<string, string> {
  return {
    'content-type': file.mime_type,
    'content-disposition': toDisposition(file.name),
    'accept-ranges': 'bytes',
    etag: `"${file.sha256}"`,
    'last-modified': new Date(file.created_at).toUTCString(),
  };
}

function toMethodResponse(method: string, allowed: readonly string[]): Response {
  const allow = allowed.join(', ');
  const message = `${method} is not used at this address; use ${allow}`;
  return toJson(405, { error: { code: 'METHOD_NOT_ALLOWED', message } }, { allow });
}

function toErrorResponse(error: Error): Response {
  const code = error instanceof GatewayError ? error.code : 'INTERNAL';
  const reason = error instanceof GatewayError ? error.data['reason'] : undefined;
  const status = STATUS_BY_REASON[String(reason)] ?? toHttpStatus(error);
  return toJson(status, { error: { code, message: error.message } });
}

function toJson(status: number, body: object, headers: Record<string, string> = {}): Response {
  return respond(status, { 'content-type': 'application/json', ...headers }, JSON.stringify(body));
}

function respond(
  status: number,
  headers: Record<string, string>,
  body: ReadableStream<Uint8Array> | string | null,
): Response {
  return new Response(body, { status, headers: { ...headers, ...GUARDS } });
}

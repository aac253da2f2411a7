/** What the headers of a request must say: media types, and in the modern era what the body says too. */

import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { JsonObject } from '../../model/json.ts';
import { META, metaOf, NAME_MEMBERS } from '../../model/mcp.ts';

const JSON_TYPE = 'application/json';
/** What nearly every client says it accepts, word for word. */
const USUAL_ACCEPT = 'application/json, text/event-stream';

/** Refuses a body that does not claim to be JSON. */
export function checkContentType(headers: IncomingHttpHeaders): void {
  if (headers['content-type'] === JSON_TYPE) return;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() === JSON_TYPE) return;
  throw new GatewayError(
    'UNSUPPORTED_MEDIA',
    `the body is of type "${type.slice(0, 60)}"; send it as Content-Type: ${JSON_TYPE}`,
  );
}

/** Refuses a client that could not read the answer; without an Accept header it reads anything. */
export function checkAccept(headers: IncomingHttpHeaders, types: readonly string[]): void {
  const { accept } = headers;
  if (accept === undefined || accept === USUAL_ACCEPT) return;
  const listed = accept.split(',').map((part) => (part.split(';')[0] ?? '').trim().toLowerCase());
  const missing = types.find((type) => !listed.some((range) => isInRange(type, range)));
  if (missing !== undefined)
    throw new GatewayError(
      'NOT_ACCEPTABLE',
      `the client does not accept ${missing}; send Accept: ${types.join(', ')}`,
    );
}

function isInRange(type: string, range: string): boolean {
  return range === type || range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}

/** Refuses a modern request whose MCP-Protocol-Version header is missing or disagrees with its `_meta`. */
export function checkVersionHeader(headers: IncomingHttpHeaders, params: JsonObject | undefined): void {
  const claimed = metaOf(params)[META.protocolVersion];
  if (typeof claimed === 'string')
    checkSame('MCP-Protocol-Version', headerOf(headers, 'mcp-protocol-version'), claimed);
}

/** Refuses a modern request whose Mcp-Method or Mcp-Name header is missing or disagrees with the body. */
export function checkRequestHeaders(headers: IncomingHttpHeaders, method: string, params: JsonObject): void {
  checkSame('Mcp-Method', headerOf(headers, 'mcp-method'), method);
  const member = NAME_MEMBERS.get(method);
  const value = member === undefined ? undefined : params[member];
  // A name that is no string is for the session to refuse: no header could repeat it.
  if (typeof value !== 'string') return;
  const header = headerOf(headers, 'mcp-name');
  checkSame('Mcp-Name', header === undefined ? undefined : decodeValue(header), value);
}

/** The Mcp-Param-* headers, decoded, by lower-case name; undefined when there are none. */
export function paramHeadersOf(headers: IncomingHttpHeaders): Readonly<Record<string, string>> | undefined {
  let found: Record<string, string> | undefined;
  for (const name in headers) {
    if (!name.startsWith('mcp-param-')) continue;
    // Without a prototype no name of a header means anything else than itself.
    found ??= Object.create(null) as Record<string, string>;
    found[name.slice('mcp-param-'.length)] = decodeValue(headerOf(headers, name) ?? '');
  }
  return found;
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function checkSame(name: string, header: string | undefined, body: string): void {
  if (header === body) return;
  const found = header === undefined ? 'is missing' : `says "${toShown(header)}"`;
  throw toMismatch(`the ${name} header ${found} but the body says "${toShown(body)}"; they must be equal`);
}

const SENTINEL = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/** Decodes `=?base64?…?=`; any other value stands for itself. */
function decodeValue(value: string): string {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value;
  const encoded = SENTINEL.exec(value)?.[1];
  const bytes = encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
  if (bytes !== undefined && isUtf8(bytes)) return bytes.toString('utf8');
  throw toMismatch('a header begins with =?base64? but does not hold base64 of UTF-8; encode it again');
}

function toMismatch(message: string): GatewayError {
  return new GatewayError('HEADER_MISMATCH', message);
}

function toShown(value: string): string {
  return value.slice(0, 80);
}

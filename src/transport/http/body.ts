/** Reads a request's body as JSON, bounded in bytes, depth and values before anything is built from it. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../errors/gateway-error.ts';
import { BODY_LIMIT, DEPTH_LIMIT, NODE_LIMIT } from '../limits.ts';

/** Reads and parses the body; throws BODY_TOO_LARGE, PARSE_ERROR or INVALID_REQUEST. */
export async function readJsonBody(request: IncomingMessage, limit = BODY_LIMIT): Promise<unknown> {
  return parseJson(await readBytes(request, limit));
}

/** Parses bytes that must be UTF-8 JSON within the bounds; `__proto__` stays an ordinary member. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new GatewayError('PARSE_ERROR', 'the body is not UTF-8; send JSON in UTF-8');
  checkShape(bytes);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new GatewayError('PARSE_ERROR', 'the body is not JSON; send one JSON-RPC message', {
      cause: error,
    });
  }
}

function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    function refuse(): void {
      request.removeAllListeners('data');
      // The rest is read and thrown away, else the client would not get to see the refusal.
      request.resume();
      reject(
        new GatewayError(
          'BODY_TOO_LARGE',
          `the body is over the limit of ${limit} bytes; send less at once`,
          {
            data: { limit },
          },
        ),
      );
    }
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      refuse();
      return;
    }
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) refuse();
      else chunks.push(chunk);
    });
    request.on('end', () => {
      const [first] = chunks;
      resolve(chunks.length === 1 && first ? first : Buffer.concat(chunks));
    });
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete)
        reject(new GatewayError('CALL_CANCELLED', 'the client went away before its request was read'));
    });
  });
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Walks the bytes without building anything: a body made to exhaust memory must not get as far as a parser. */
function checkShape(bytes: Buffer): void {
  let depth = 0;
  let nodes = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = findStringEnd(bytes, at);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1;
        nodes += 1;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1;
        break;
      case COMMA:
        nodes += 1;
        break;
    }
    if (depth > DEPTH_LIMIT)
      throw toShapeError('INVALID_REQUEST', `nested deeper than ${DEPTH_LIMIT} levels`);
    if (nodes > NODE_LIMIT) throw toShapeError('BODY_TOO_LARGE', `made of more than ${NODE_LIMIT} values`);
  }
}

/** The position of the quote that ends the string which begins at `start`; the end of the bytes without one. */
function findStringEnd(bytes: Buffer, start: number): number {
  let quote = bytes.indexOf(QUOTE, start + 1);
  while (quote !== -1) {
    let before = quote - 1;
    while (bytes[before] === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 1) return quote;
    quote = bytes.indexOf(QUOTE, quote + 1);
  }
  return bytes.length;
}

function toShapeError(code: 'INVALID_REQUEST' | 'BODY_TOO_LARGE', problem: string): GatewayError {
  return new GatewayError(code, `the body is ${problem}; send a simpler one`);
}

/** The one parser for what clients send: strict UTF-8 and JSON, bounded in depth and values before anything is built. */
import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../errors/gateway-error.ts';
import { DEPTH_LIMIT, NODE_LIMIT } from './limits.ts';

/** Parses bytes that must be UTF-8 JSON within the bounds; `__proto__` stays an ordinary member. */
export function parseBounded(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new GatewayError('PARSE_ERROR', 'the message is not UTF-8; send JSON in UTF-8');
  checkShape(bytes);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new GatewayError('PARSE_ERROR', 'the message is not JSON; send one JSON-RPC message', {
      cause: error,
    });
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const BACKSLASH = 0x5c;
const LOWER_E = 0x65;
const UPPER_E = 0x45;
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
      case LOWER_E:
      case UPPER_E:
        if (isDigit(bytes[at - 1])) checkNumber(bytes, at);
        break;
    }
    if (depth > DEPTH_LIMIT)
      throw toShapeError('INVALID_REQUEST', `nested deeper than ${DEPTH_LIMIT} levels`);
    if (nodes > NODE_LIMIT) throw toShapeError('BODY_TOO_LARGE', `made of more than ${NODE_LIMIT} values`);
  }
}

/** A number past all bounds is read as infinity and written as null: nobody would be sent what the client said. */
function checkNumber(bytes: Buffer, exponent: number): void {
  let start = exponent - 1;
  while (isDigit(bytes[start]) || bytes[start] === POINT) start -= 1;
  let end = exponent + 1;
  while (isDigit(bytes[end]) || bytes[end] === PLUS || bytes[end] === MINUS) end += 1;
  if (Math.abs(Number(bytes.toString('latin1', start + 1, end))) === Number.POSITIVE_INFINITY)
    throw new GatewayError('INVALID_REQUEST', 'the message holds a number too large to be passed on');
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
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
  return new GatewayError(code, `the message is ${problem}; send a simpler one`);
}

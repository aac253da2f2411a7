/** Writes whole answers: JSON, an error, or nothing. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { toHttpStatus, toWireError } from '../../errors/to-wire.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { RequestId } from '../../wire/message.ts';
import { RETRY_AFTER_SECONDS } from '../calls.ts';
import { openOutlet } from './sse.ts';

const LONG_TEXT = 64 * 1024;

/** Sends a JSON body and ends the answer; does nothing when the client is gone. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: OutgoingHttpHeaders,
): void {
  sendText(response, status, JSON.stringify(body), headers);
}

/** Sends JSON, as text or bytes, and ends the answer; a long one goes out as fast as it is read. */
export function sendText(
  response: ServerResponse,
  status: number,
  text: string | Buffer,
  headers?: OutgoingHttpHeaders,
  clock: Clock = systemClock,
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': typeof text === 'string' ? Buffer.byteLength(text) : text.length,
    ...headers,
  });
  if (typeof text === 'string' && text.length < LONG_TEXT) {
    response.end(text);
    return;
  }
  const outlet = openOutlet(response, clock);
  outlet.write(text);
  void outlet.finish();
}

/** Sends an error as a JSON-RPC answer with the status that belongs to it. */
export function sendError(
  response: ServerResponse,
  error: unknown,
  id: RequestId | null = null,
  headers?: OutgoingHttpHeaders,
): void {
  const status = toHttpStatus(error);
  const body = { jsonrpc: '2.0', id, error: toWireError(error) };
  const wait = status === 503 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : undefined;
  sendJson(response, status, body, { ...wait, ...headers });
}

/** Sends a status without a body. */
export function sendEmpty(response: ServerResponse, status: number): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, status === 204 ? {} : { 'content-length': 0 });
  response.end();
}

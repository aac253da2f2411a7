/** Writes whole answers: JSON, an error, or nothing. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { GatewayError } from '../../errors/gateway-error.ts';
import { toHttpStatus, toWireError } from '../../errors/to-wire.ts';
import type { RequestId } from '../../wire/message.ts';

/** Sends a JSON body and ends the answer; does nothing when the client is gone. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: OutgoingHttpHeaders,
): void {
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** Sends an error as a JSON-RPC answer with the status that belongs to it. */
export function sendError(
  response: ServerResponse,
  error: unknown,
  id: RequestId | null = null,
  headers?: OutgoingHttpHeaders,
): void {
  sendJson(response, toHttpStatus(error), { jsonrpc: '2.0', id, error: toWireError(error) }, headers);
}

/** Sends a status without a body. */
export function sendEmpty(response: ServerResponse, status: number): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, status === 204 ? {} : { 'content-length': 0 });
  response.end();
}

/** Says that there is no room now, and when to try again. */
export function sendBusy(response: ServerResponse, message: string): void {
  const error = toWireError(new GatewayError('TOO_BUSY', message, { data: { retryAfterSeconds: 5 } }));
  sendJson(response, 503, { jsonrpc: '2.0', id: null, error }, { 'retry-after': '5' });
}

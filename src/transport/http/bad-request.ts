/** Answers bytes that are no HTTP request, or not one in time, as JSON like everything else. */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError } from '../../errors/gateway-error.ts';
import { toWireError } from '../../errors/to-wire.ts';
import { HEADER_LIMIT } from '../limits.ts';

/** Writes the refusal by hand, since there is no request to answer, and closes the connection. */
export function answerBadRequest(error: Pick<NodeJS.ErrnoException, 'code'>, socket: Duplex): void {
  // A connection that is gone, or whose answer has begun, cannot be told anything.
  if (!socket.writable || error.code === 'ECONNRESET' || hasBegun(socket)) {
    socket.destroy();
    return;
  }
  const { status, refusal } = toRefusal(error);
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: toWireError(refusal) });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

function toRefusal({ code }: Pick<NodeJS.ErrnoException, 'code'>): { status: number; refusal: GatewayError } {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        status: 431,
        refusal: new GatewayError(
          'BODY_TOO_LARGE',
          `the headers are over the limit of ${HEADER_LIMIT} bytes`,
          {
            data: { limit: HEADER_LIMIT },
          },
        ),
      };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return {
        status: 408,
        refusal: new GatewayError('INVALID_REQUEST', 'the request was not complete in time; send it whole'),
      };
    default:
      return {
        status: 400,
        refusal: new GatewayError('INVALID_REQUEST', 'the bytes are no HTTP request; send HTTP/1.1'),
      };
  }
}

/** Node keeps the answer being written on the socket; its own default handler looks there too. */
function hasBegun(socket: Duplex): boolean {
  const { _httpMessage: answer } = socket as Duplex & { _httpMessage?: { headersSent?: boolean } | null };
  return answer?.headersSent === true;
}

/** Reads a request's body as JSON, bounded in bytes. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../errors/gateway-error.ts';
import { parseBounded } from '../bounded-json.ts';
import { BODY_LIMIT } from '../limits.ts';

/** Reads and parses the body; throws BODY_TOO_LARGE, PARSE_ERROR or INVALID_REQUEST. */
export async function readJsonBody(request: IncomingMessage, limit = BODY_LIMIT): Promise<unknown> {
  return parseBounded(await readBytes(request, limit));
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

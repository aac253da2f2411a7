/** Makes a bug found at the edge findable: the client gets an id, the feed gets the id and the error. */
import { randomUUID } from 'node:crypto';
import { GatewayError, RpcError } from '../errors/gateway-error.ts';
import type { Feed } from '../events/feed.ts';

/** Passes errors of the table through; anything else is published as a fault and becomes INTERNAL with its id. */
export function toKnownError(
  thrown: unknown,
  where: string,
  feed: Feed | undefined,
): GatewayError | RpcError {
  if (thrown instanceof RpcError) return thrown;
  if (thrown instanceof GatewayError && thrown.code !== 'INTERNAL') return thrown;
  const fault = randomUUID().slice(0, 8);
  feed?.publish({ type: 'fault', where: `${where} (fault ${fault})`, error: thrown });
  return new GatewayError(
    'INTERNAL',
    `the gateway failed at ${where}; look for fault ${fault} in its log, and report it`,
    { cause: thrown, data: { fault } },
  );
}

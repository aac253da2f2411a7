/** Makes a bug found at the edge findable: the client gets an id, the feed gets the id and the error. */
import { randomUUID } from 'node:crypto';
import { GatewayError, RpcError } from '../errors/gateway-error.ts';
import type { Feed } from '../events/feed.ts';

/** Passes errors that are no fault of ours through; the rest get an id under which the log has them. */
export function toKnownError(
  thrown: unknown,
  where: string,
  feed: Feed | undefined,
): GatewayError | RpcError {
  if (thrown instanceof RpcError) return thrown;
  if (thrown instanceof GatewayError && thrown.code !== 'INTERNAL')
    return thrown.row.http < 500 ? thrown : toTraced(thrown, where, feed);
  const fault = toFaultId();
  feed?.publish({ type: 'fault', where, error: thrown, fault });
  return new GatewayError(
    'INTERNAL',
    `the gateway failed at ${where}; look for fault ${fault} in its log, and report it`,
    { cause: thrown, data: { fault } },
  );
}

/** The same error with an id, published under it; one that has an id keeps it. */
function toTraced(error: GatewayError, where: string, feed: Feed | undefined): GatewayError {
  if (feed === undefined || error.data['fault'] !== undefined) return error;
  const fault = toFaultId();
  const { code, message } = error;
  feed.publish({ type: 'request.failed', fault, where, code, message });
  return new GatewayError(code, message, { cause: error, data: { ...error.data, fault } });
}

function toFaultId(): string {
  return randomUUID().slice(0, 8);
}

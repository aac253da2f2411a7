/** The only place where a strange thrown value becomes an error of ours. */
import { GatewayError, RpcError } from './gateway-error.ts';

/** The message of whatever was thrown. */
export function toMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Keeps known errors; wraps the rest as a fault of the gateway, with the cause for the log. */
export function fromUnknown(thrown: unknown): GatewayError | RpcError {
  if (thrown instanceof GatewayError || thrown instanceof RpcError) return thrown;
  return new GatewayError('INTERNAL', 'the gateway failed while handling the request; its log says why', {
    cause: thrown,
  });
}

/** Faults of our own: clients hear that there was one, and whoever runs us hears what it was. */
import { fromUnknown } from '../errors/from-unknown.ts';
import { GatewayError, type RpcError } from '../errors/gateway-error.ts';
import type { BuiltinParts } from './builtin.ts';

/** The error as clients may hear it; a fault of our own is told to the log first. */
export function toToldError(thrown: unknown, onFault: BuiltinParts['onFault']): GatewayError | RpcError {
  const error = fromUnknown(thrown);
  if (error instanceof GatewayError && error.code === 'INTERNAL') onFault?.(thrown);
  return error;
}

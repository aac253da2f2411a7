/** Marks errors of requests that never reached the other side, the only ones that may be sent again. */
import { GatewayError } from '../errors/gateway-error.ts';

/** The same error, marked as one of a request that never reached the other side. */
export function toUnsentError(error: GatewayError): GatewayError {
  return new GatewayError(error.code, error.message, { cause: error, data: { ...error.data, sent: false } });
}

/** True when the request behind the error never reached the other side. */
export function isUnsent(error: unknown): boolean {
  return error instanceof GatewayError && error.data['sent'] === false;
}

/** Says what keeps a JSON value from being a message this gateway takes. */
import { GatewayError } from '../errors/gateway-error.ts';
import { isJsonObject } from '../model/json.ts';
import { parseMessage } from '../wire/message.ts';

/** The error for a value that is JSON but no message. */
export function toMessageError(value: unknown): GatewayError {
  // A request whose only fault is its params is answered as such (JSON-RPC 2.0, section 5.1).
  if (isJsonObject(value) && Object.hasOwn(value, 'params') && parseMessage({ ...value, params: {} }))
    return new GatewayError('INVALID_PARAMS', '"params" has to be an object');
  return new GatewayError(
    'INVALID_REQUEST',
    'this is JSON but no JSON-RPC 2.0 message; send one object with "jsonrpc": "2.0"',
  );
}

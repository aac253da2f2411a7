/** A message as one line of JSON text, whatever an upstream made of its result. */
import { GatewayError } from '../errors/gateway-error.ts';
import { toWireError } from '../errors/to-wire.ts';
import { isResponse, type Message } from './message.ts';

/** The JSON of a message; never throws for an answer. */
export function toText(message: Message): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    // The caller still gets an answer; of anything else the sender has to hear that it did not go out.
    if (!isResponse(message)) throw cause;
    return JSON.stringify({ jsonrpc: '2.0', id: message.id, error: toWireError(toUnwritableError(cause)) });
  }
}

/** The error for a message that can be read but not written: reading JSON has no bound in depth, writing it has, the stack. */
export function toUnwritableError(cause: unknown): GatewayError {
  return new GatewayError('RESULT_TOO_LARGE', 'the message is nested too deep to be passed on', { cause });
}

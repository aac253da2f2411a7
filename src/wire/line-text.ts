/** A message as one line of JSON text, whatever an upstream made of its result. */
import { GatewayError } from '../errors/gateway-error.ts';
import { toWireError } from '../errors/to-wire.ts';
import { isResponse, type Message } from './message.ts';

/** The JSON of a message; never throws for an answer. */
export function toText(message: Message): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    // Reading JSON has no bound in depth, writing it has: the stack. The caller still gets an answer.
    if (!isResponse(message)) throw cause;
    const error = new GatewayError('RESULT_TOO_LARGE', 'the result is nested too deep to be passed on', {
      cause,
    });
    return JSON.stringify({ jsonrpc: '2.0', id: message.id, error: toWireError(error) });
  }
}

/** The two error classes that travel through the gateway: ours, and one an upstream or client sent. */
import type { JsonObject, JsonValue } from '../model/json.ts';
import { ERRORS, type ErrorCode, type ErrorRow } from './table.ts';

/** An error of ours: a code of the table, and a message that says what happened, to what, and what to do. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  readonly data: JsonObject;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; data?: JsonObject } = {}) {
    // It says all there is to say in its message; where it was made takes longer to find out than all the rest of a refusal.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.data = options.data ?? {};
  }

  /** The table's row for this error. */
  get row(): ErrorRow {
    return ERRORS[this.code];
  }
}

/** A JSON-RPC error another party answered with; it is passed on as it came. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: JsonValue | undefined;

  constructor(code: number, message: string, data?: JsonValue) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

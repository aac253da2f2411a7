/** The only place where an error becomes the `error` member of a JSON-RPC answer. */
import type { JsonObject, JsonValue } from '../model/json.ts';
import { fromUnknown } from './from-unknown.ts';
import { RpcError } from './gateway-error.ts';

/** The `error` member of an answer. */
export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue;
}

/** Converts anything thrown; errors of others keep code, message and data. */
export function toWireError(thrown: unknown): WireError {
  const error = fromUnknown(thrown);
  if (error instanceof RpcError) {
    return error.data === undefined
      ? { code: error.code, message: error.message }
      : { code: error.code, message: error.message, data: error.data };
  }
  const data: JsonObject = {
    code: error.code,
    blame: error.row.blame,
    retry: error.row.retry,
    ...error.data,
  };
  return { code: error.row.jsonrpc, message: error.message, data };
}

/** The HTTP status that goes with an error. */
export function toHttpStatus(thrown: unknown): number {
  const error = fromUnknown(thrown);
  return error instanceof RpcError ? 200 : error.row.http;
}

/** JSON-RPC 2.0 messages, and the one check every incoming one passes. */

import type { WireError } from '../errors/to-wire.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';

/** What correlates an answer with its request. */
export type RequestId = string | number;

/** A request: it has an id and will be answered. */
export interface RequestMessage {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}

/** A notification: no id, no answer. */
export interface NotificationMessage {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: JsonObject;
}

/** An answer: a result or an error. */
export interface ResponseMessage {
  readonly jsonrpc: '2.0';
  /** Null only in an error answer to something whose id could not be read. */
  readonly id: RequestId | null;
  readonly result?: JsonObject;
  readonly error?: WireError;
}

/** Anything that may cross a channel. */
export type Message = RequestMessage | NotificationMessage | ResponseMessage;

/** True for a message that expects an answer. */
export function isRequest(message: Message): message is RequestMessage {
  return 'method' in message && 'id' in message && message.id !== undefined;
}

/** True for a message that answers a request. */
export function isResponse(message: Message): message is ResponseMessage {
  return !('method' in message);
}

/** Reads a parsed JSON value as a message; undefined when it is none. Own members only, exact case. */
export function parseMessage(value: unknown): Message | undefined {
  if (!isJsonObject(value) || value['jsonrpc'] !== '2.0') return undefined;
  if (Object.hasOwn(value, 'method')) return isCall(value) ? (value as unknown as Message) : undefined;
  return isAnswer(value) ? (value as unknown as Message) : undefined;
}

function isCall(value: JsonObject): boolean {
  if (typeof value['method'] !== 'string') return false;
  if (value['params'] !== undefined && !isJsonObject(value['params'])) return false;
  return !Object.hasOwn(value, 'id') || isId(value['id']);
}

function isAnswer(value: JsonObject): boolean {
  if (Object.hasOwn(value, 'result')) return isJsonObject(value['result']) && isId(value['id']);
  const error = value['error'];
  if (!isJsonObject(error) || typeof error['code'] !== 'number' || typeof error['message'] !== 'string')
    return false;
  return value['id'] === null || value['id'] === undefined || isId(value['id']);
}

/** True for a value that may be a request's id. */
export function isId(value: JsonValue | undefined): value is RequestId {
  // A number beyond what can be told apart would come back as another one.
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** The id of a value that is no message but has one by which it can be answered. */
export function idOf(value: unknown): RequestId | undefined {
  const id = isJsonObject(value) && Object.hasOwn(value, 'id') ? value['id'] : undefined;
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id)) ? id : undefined;
}

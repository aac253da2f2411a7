/** The headers that go with one message, in the era the message itself shows. */
import { isJsonObject, type JsonValue } from '../../../model/json.ts';
import { META, metaOf, NAME_MEMBERS } from '../../../model/mcp.ts';
import type { Message } from '../../../wire/message.ts';
import { toHeaderValue } from '../../http/header-value.ts';
import type { Headers } from '../../upstream.ts';

/** What a legacy conversation has agreed on. */
export interface LegacySession {
  readonly id: string | undefined;
  readonly version: string | undefined;
}

/** The revision a modern request states in its `_meta`; undefined for every other message. */
export function modernVersionOf(message: Message): string | undefined {
  if (!('method' in message)) return undefined;
  const version = metaOf(message.params)[META.protocolVersion];
  return typeof version === 'string' ? version : undefined;
}

/** The headers of a POST. */
export function toPostHeaders(message: Message, session: LegacySession): Headers {
  const common = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const version = modernVersionOf(message);
  if (version === undefined || !('method' in message)) return { ...common, ...toSessionHeaders(session) };
  return {
    ...common,
    'MCP-Protocol-Version': version,
    'Mcp-Method': message.method,
    ...toNameHeader(message.method, message.params),
  };
}

/** The headers by which a legacy server knows the conversation. */
export function toSessionHeaders(session: LegacySession): Headers {
  return {
    ...(session.id !== undefined && { 'Mcp-Session-Id': session.id }),
    ...(session.version !== undefined && { 'MCP-Protocol-Version': session.version }),
  };
}

function toNameHeader(method: string, params: JsonValue | undefined): Headers {
  const key = NAME_MEMBERS.get(method);
  const name = key !== undefined && isJsonObject(params) ? params[key] : undefined;
  return typeof name === 'string' ? { 'Mcp-Name': toHeaderValue(name) } : {};
}

/** Mirrors tool arguments into `Mcp-Param-*` headers where the tool's schema asks for it. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { Definition } from '../../model/mcp.ts';
import type { Headers } from '../upstream.ts';
import { toHeaderValue } from './header-value.ts';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const MAX_DEPTH = 16;

/** The headers of one call of a tool; undefined when it asks for none. */
export function toParamHeaders(
  tool: Definition | undefined,
  args: JsonValue | undefined,
): Headers | undefined {
  const schema = tool?.['inputSchema'];
  if (!isJsonObject(schema) || !isJsonObject(args)) return undefined;
  const headers: Record<string, string> = {};
  collect(schema, args, headers, 0);
  return Object.keys(headers).length === 0 ? undefined : headers;
}

function collect(
  schema: JsonObject,
  value: JsonObject,
  headers: Record<string, string>,
  depth: number,
): void {
  const properties = schema['properties'];
  if (!isJsonObject(properties) || depth > MAX_DEPTH) return;
  for (const [key, property] of Object.entries(properties)) {
    const argument = Object.hasOwn(value, key) ? value[key] : undefined;
    if (!isJsonObject(property) || argument === undefined || argument === null) continue;
    const name = property['x-mcp-header'];
    const isPrimitive = typeof argument !== 'object';
    if (typeof name === 'string' && TOKEN.test(name) && isPrimitive)
      headers[`Mcp-Param-${name}`] = toHeaderValue(String(argument));
    if (isJsonObject(argument)) collect(property, argument, headers, depth + 1);
  }
}

/** Mirrors tool arguments into `Mcp-Param-*` headers where the tool's schema asks for it. */
import type { JsonValue } from '../../model/json.ts';
import type { Definition } from '../../model/mcp.ts';
import { headerParamsOf } from '../../model/param-headers.ts';
import type { Headers } from '../upstream.ts';
import { toHeaderValue } from './header-value.ts';

/** The headers of one call of a tool; undefined when it asks for none. */
export function toParamHeaders(
  tool: Definition | undefined,
  args: JsonValue | undefined,
): Headers | undefined {
  const params = headerParamsOf(tool, args);
  if (params.length === 0) return undefined;
  return Object.fromEntries(params.map(({ header, value }) => [`Mcp-Param-${header}`, toHeaderValue(value)]));
}

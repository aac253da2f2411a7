/** Refuses a modern call whose `Mcp-Param-*` headers disagree with its arguments ("Server Validation"). */
import { GatewayError } from '../errors/gateway-error.ts';
import type { JsonObject } from '../model/json.ts';
import { headerParamsOf } from '../model/param-headers.ts';
import type { CatalogView } from '../policy/policy.ts';

/** Checks one call; `headers` are undefined where the carrier has none to check. */
export function checkParamHeaders(
  params: JsonObject,
  headers: Readonly<Record<string, string>> | undefined,
  view: CatalogView,
): void {
  if (headers === undefined) return;
  const tool = view.find('tool', String(params['name']));
  for (const { header, value } of headerParamsOf(tool?.definition, params['arguments'])) {
    const given = headers[header.toLowerCase()];
    if (given === value || (given !== undefined && isSameNumber(given, value))) continue;
    const found = given === undefined ? 'is missing' : `says "${given.slice(0, 80)}"`;
    const text = `the Mcp-Param-${header} header ${found} but the argument says "${value.slice(0, 80)}"; they must be equal`;
    throw new GatewayError('HEADER_MISMATCH', text);
  }
}

function isSameNumber(given: string, value: string): boolean {
  return /^-?\d/.test(value) && given.trim() !== '' && Number(given) === Number(value);
}

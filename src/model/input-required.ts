/** Results that ask for more input before there is an answer, as revision 2026-07-28 has them. */
import { isJsonObject, type JsonObject } from './json.ts';

/** The methods whose results may ask for input. */
export const MAY_NEED_INPUT: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** One question inside such a result. */
export interface InputRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** True for a result that asks instead of answering. */
export function needsInput(result: JsonObject): boolean {
  return result['resultType'] === 'input_required';
}

/** The questions of such a result, by key; malformed ones are left out. */
export function inputRequestsOf(result: JsonObject): ReadonlyMap<string, InputRequest> {
  const requests = isJsonObject(result['inputRequests']) ? result['inputRequests'] : {};
  const found = new Map<string, InputRequest>();
  for (const [key, request] of Object.entries(requests)) {
    if (!isJsonObject(request) || typeof request['method'] !== 'string') continue;
    const params = isJsonObject(request['params']) ? request['params'] : {};
    found.set(key, { method: request['method'], params });
  }
  return found;
}

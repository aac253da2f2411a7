/** The arguments of a call. */
import { isJsonObject, type JsonObject } from '../model/json.ts';

/** What a call hands over; nothing where that is no object. */
export function argumentsOf(params: JsonObject): JsonObject {
  return isJsonObject(params['arguments']) ? params['arguments'] : {};
}

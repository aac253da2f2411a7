/** The hints of a group: as strict as the strictest of its tools, since a client decides by them what to ask its user. */
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { Definition } from '../../model/mcp.ts';

/** Hints for tools folded together; what the protocol takes for granted is left out. */
export function toGroupAnnotations(definitions: readonly Definition[]): JsonObject | undefined {
  const hints = definitions.map(({ annotations }) => (isJsonObject(annotations) ? annotations : {}));
  const readOnly = hints.every((hint) => hint['readOnlyHint'] === true);
  // Only tools that change something can destroy something.
  const harmless = hints.every((hint) => hint['readOnlyHint'] === true || hint['destructiveHint'] === false);
  const annotations: JsonObject = {
    ...(readOnly ? { readOnlyHint: true } : {}),
    ...(harmless && !readOnly ? { destructiveHint: false } : {}),
    ...(!readOnly && hints.every((hint) => hint['idempotentHint'] === true) ? { idempotentHint: true } : {}),
    ...(hints.every((hint) => hint['openWorldHint'] === false) ? { openWorldHint: false } : {}),
  };
  return Object.keys(annotations).length > 0 ? annotations : undefined;
}

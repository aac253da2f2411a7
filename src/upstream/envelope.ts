/** The `_meta` of requests to upstreams: what is ours to say, and what is the caller's to pass on. */
import type { JsonObject, JsonValue } from '../model/json.ts';
import { type Implementation, META, MODERN_REVISION, metaOf } from '../model/mcp.ts';

/** The members every modern request of ours carries. */
export type Envelope = JsonObject;

const OWN_KEYS: ReadonlySet<string> = new Set([
  'progressToken',
  META.protocolVersion,
  META.clientInfo,
  META.clientCapabilities,
]);

/** What we say of ourselves in each modern request; capabilities of the caller will join here. */
export function toEnvelope(self: Implementation): Envelope {
  return {
    [META.protocolVersion]: MODERN_REVISION,
    [META.clientInfo]: self,
    [META.clientCapabilities]: {},
  };
}

/** The caller's parameters as the upstream may see them: its `_meta` without what was meant for us. */
export function toUpstreamParams(params: JsonObject, envelope: Envelope | undefined): JsonObject {
  const { _meta: theirs, ...rest } = params;
  if (theirs === undefined && envelope === undefined) return params;
  const kept: Record<string, JsonValue | undefined> = {};
  for (const [key, value] of Object.entries(metaOf(params))) {
    // A log level per request is a modern idea; a legacy server would take it for an extension.
    if (OWN_KEYS.has(key) || (key === META.logLevel && envelope === undefined)) continue;
    kept[key] = value;
  }
  const meta = { ...kept, ...envelope };
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

/** The token under which the caller wants to hear of progress. */
export function progressTokenOf(params: JsonObject): string | number | undefined {
  const token = metaOf(params)['progressToken'];
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

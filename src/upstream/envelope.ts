/** The `_meta` of requests to upstreams: what is ours to say, and what is the caller's to pass on. */
import type { CallContext } from '../model/call.ts';
import type { JsonObject } from '../model/json.ts';
import { type Implementation, META, MODERN_REVISION, metaOf } from '../model/mcp.ts';

/** The members every modern request of ours carries. */
export type Envelope = JsonObject;

const OWN_KEYS: ReadonlySet<string> = new Set([
  'progressToken',
  META.protocolVersion,
  META.clientInfo,
  META.clientCapabilities,
  META.logLevel,
]);

/** What a modern request says of its client: the caller where there is one, else ourselves. */
export function toEnvelope(self: Implementation, call?: CallContext): Envelope {
  return {
    [META.protocolVersion]: MODERN_REVISION,
    [META.clientInfo]: typeof call?.facts.info['name'] === 'string' ? call.facts.info : self,
    [META.clientCapabilities]: call?.facts.capabilities ?? {},
    ...(call?.logLevel === undefined ? {} : { [META.logLevel]: call.logLevel }),
  };
}

/** The caller's parameters as the upstream may see them: its `_meta` without what was meant for us. */
export function toUpstreamParams(params: JsonObject, envelope: Envelope | undefined): JsonObject {
  if (params['_meta'] === undefined && envelope === undefined) return params;
  const { _meta, ...rest } = params;
  const kept = Object.fromEntries(Object.entries(metaOf(params)).filter(([key]) => !OWN_KEYS.has(key)));
  const meta = { ...kept, ...envelope };
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

/** The token under which the caller wants to hear of progress. */
export function progressTokenOf(params: JsonObject): string | number | undefined {
  const token = metaOf(params)['progressToken'];
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

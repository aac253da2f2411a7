/** What a client says of itself: once in `initialize`, or with every modern request. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { CallContext, ClientFacts } from '../model/call.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { LATEST_LEGACY_REVISION, LEGACY_REVISIONS, META, MODERN_REVISION, metaOf } from '../model/mcp.ts';
import { LOCAL_PRINCIPAL } from '../model/principal.ts';

/** Facts of a legacy client that has not introduced itself yet. */
export const UNKNOWN_CLIENT: ClientFacts = {
  era: 'legacy',
  protocolVersion: LATEST_LEGACY_REVISION,
  name: 'unknown',
  info: {},
  capabilities: {},
};

/** A context for looking at a surface on nobody's behalf. */
export function toIdleContext(): CallContext {
  return {
    principal: LOCAL_PRINCIPAL,
    conversation: '',
    profile: undefined,
    facts: UNKNOWN_CLIENT,
    logLevel: undefined,
    retry: undefined,
    signal: new AbortController().signal,
    client: { notify() {} },
  };
}

/** Reads the parameters of `initialize` and settles the revision: theirs where we speak it, else our newest. */
export function fromInitialize(params: JsonObject): ClientFacts {
  const asked = params['protocolVersion'];
  if (typeof asked !== 'string') {
    throw new GatewayError('INVALID_PARAMS', 'initialize needs a protocolVersion, such as "2025-11-25"');
  }
  const protocolVersion = LEGACY_REVISIONS.includes(asked) ? asked : LATEST_LEGACY_REVISION;
  return toFacts('legacy', protocolVersion, params['clientInfo'], params['capabilities']);
}

/** Reads what a modern request carries in `_meta`; one that says it wrongly was refused at the transport. */
export function fromRequestMeta(params: JsonObject): ClientFacts {
  const meta = metaOf(params);
  return toFacts('modern', MODERN_REVISION, meta[META.clientInfo], meta[META.clientCapabilities]);
}

function toFacts(
  era: ClientFacts['era'],
  protocolVersion: string,
  info: JsonValue | undefined,
  capabilities: JsonValue | undefined,
): ClientFacts {
  const known = isJsonObject(info) ? info : {};
  const name = typeof known['name'] === 'string' ? known['name'] : 'unknown';
  return {
    era,
    protocolVersion,
    name,
    info: known,
    capabilities: isJsonObject(capabilities) ? capabilities : {},
  };
}

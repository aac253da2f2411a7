/** Tells the eras apart, and checks what every modern request must say of itself, on any transport. */
import { GatewayError } from '../errors/gateway-error.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { LEGACY_REVISIONS, META, MODERN_REVISION, metaOf } from '../model/mcp.ts';
import type { RequestId, ResponseMessage } from '../wire/message.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** True for the revision we speak and for any later one, known or not. */
export function isModernRevision(version: string | undefined): boolean {
  // Revisions are dates, so text order is age order.
  return version !== undefined && DATE.test(version) && version >= MODERN_REVISION;
}

/** True when a request claims the modern era by its `_meta`, well-formed or not. */
export function hasModernClaim(params: JsonObject | undefined): boolean {
  return params !== undefined && Object.hasOwn(metaOf(params), META.protocolVersion);
}

/** Refuses a revision that is not spoken, and `_meta` that lacks what the modern era requires. */
export function checkModernMeta(params: JsonObject | undefined): void {
  const meta = metaOf(params);
  const version = meta[META.protocolVersion];
  if (version === undefined) throw toMetaError(META.protocolVersion, 'is missing');
  if (typeof version !== 'string') throw toMetaError(META.protocolVersion, 'is not a string');
  if (version !== MODERN_REVISION) throw toVersionError(version);
  const capabilities = meta[META.clientCapabilities];
  if (capabilities === undefined) throw toMetaError(META.clientCapabilities, 'is missing');
  if (!isJsonObject(capabilities)) throw toMetaError(META.clientCapabilities, 'is not an object');
  const info = meta[META.clientInfo];
  if (info !== undefined && !isJsonObject(info)) throw toMetaError(META.clientInfo, 'is not an object');
}

/** The answer that ends a subscription in good order. */
export function toListenEnd(id: RequestId): ResponseMessage {
  return { jsonrpc: '2.0', id, result: { resultType: 'complete', _meta: { [META.subscriptionId]: id } } };
}

/** The error for a revision that is not spoken here. */
export function toVersionError(requested: string): GatewayError {
  const supported = [MODERN_REVISION, ...LEGACY_REVISIONS].filter((version) => version !== requested);
  return new GatewayError(
    'UNSUPPORTED_VERSION',
    `protocol revision "${requested.slice(0, 40)}" is not spoken here; use ${MODERN_REVISION}, or open with initialize`,
    { data: { supported, requested } },
  );
}

function toMetaError(key: string, problem: string): GatewayError {
  return new GatewayError(
    'INVALID_PARAMS',
    `params._meta["${key}"] ${problem}; every request of revision ${MODERN_REVISION} must carry it`,
    { data: { key } },
  );
}

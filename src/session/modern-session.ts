/** A conversation without state: every request says who asks; changes are heard through `subscriptions/listen`. */
import type { CallContext } from '../model/call.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { KINDS } from '../model/kinds.ts';
import { LEGACY_REVISIONS, META, MODERN_REVISION, metaOf } from '../model/mcp.ts';
import { fromRequestMeta } from './client-facts.ts';
import { onListChanges } from './list-changes.ts';
import { answer, CACHEABLE } from './methods.ts';
import type { ClientCall, Session, SessionOpening } from './session.ts';
import type { SessionParts } from './sessions.ts';
import { openSurface, type Surface } from './surface.ts';

/** How long a modern client may keep a list without asking again; a listener hears of changes at once. */
const LIST_TTL_MS = 30_000;

/** Opens a modern conversation. */
export function openModernSession(opening: Omit<SessionOpening, 'push'>, parts: SessionParts): Session {
  const { endpoint, principal } = opening;
  const surface = openSurface(endpoint, parts);
  const profile = endpoint.kind === 'mode' ? endpoint.profile : undefined;

  async function run(method: string, params: JsonObject, call: ClientCall): Promise<JsonObject> {
    const facts = fromRequestMeta(params);
    const context: CallContext = { principal, profile, facts, signal: call.signal, client: call.client };
    if (method === 'server/discover') return discover(surface, parts);
    if (method === 'subscriptions/listen') return listen(params, call, context, surface, parts);
    return answer(method, {
      params: withoutEnvelope(params),
      context,
      surface,
      catalog: parts.catalog,
    });
  }

  return {
    request: async (method, params, call) => toModernResult(method, await run(method, params, call), parts),
    notification() {},
    close() {},
  };
}

async function discover(surface: Surface, parts: SessionParts): Promise<JsonObject> {
  await parts.catalog.settled();
  const instructions = surface.instructions();
  return {
    supportedVersions: [MODERN_REVISION, ...LEGACY_REVISIONS],
    capabilities: surface.capabilities(),
    ...(instructions === undefined ? {} : { instructions }),
  };
}

/** The filter's members and the notification each stands for. */
const FILTERS: Readonly<Record<string, string>> = {
  toolsListChanged: KINDS.tool.changed,
  promptsListChanged: KINDS.prompt.changed,
  resourcesListChanged: KINDS.resource.changed,
};

/** Streams the asked-for changes until the client ends the request. */
async function listen(
  params: JsonObject,
  call: ClientCall,
  context: CallContext,
  surface: Surface,
  parts: SessionParts,
): Promise<JsonObject> {
  const asked = isJsonObject(params['notifications']) ? params['notifications'] : {};
  const honoured = Object.keys(FILTERS).filter((key) => asked[key] === true);
  const wanted = new Set(honoured.map((key) => FILTERS[key]));
  const _meta = { [META.subscriptionId]: call.id };
  const stop = onListChanges(parts.catalog, surface, context, (notification) => {
    if (wanted.has(notification)) call.client.notify(notification, { _meta });
  });
  call.client.notify('notifications/subscriptions/acknowledged', {
    _meta,
    notifications: Object.fromEntries(honoured.map((key) => [key, true])),
  });
  await untilAborted(call.signal, parts.stopping);
  stop();
  return { _meta };
}

/** Resolves with the first of the signals; listens by hand, since combined signals are never let go of. */
function untilAborted(...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const signal of signals) signal.removeEventListener('abort', done);
      resolve();
    };
    for (const signal of signals) signal.addEventListener('abort', done);
    if (signals.some((signal) => signal.aborted)) done();
  });
}

/** Upstreams are told of us, not of the client's envelope; whatever else `_meta` holds goes on. */
function withoutEnvelope(params: JsonObject): JsonObject {
  const own = new Set<string>(Object.values(META));
  const meta = Object.fromEntries(Object.entries(metaOf(params)).filter(([key]) => !own.has(key)));
  const { _meta, ...rest } = params;
  return Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest;
}

function toModernResult(method: string, result: JsonObject, parts: SessionParts): JsonObject {
  return {
    resultType: 'complete',
    ...(CACHEABLE.has(method)
      ? { ttlMs: method === 'resources/read' ? 0 : LIST_TTL_MS, cacheScope: 'private' }
      : {}),
    ...result,
    _meta: { ...metaOf(result), [META.serverInfo]: parts.identity },
  };
}

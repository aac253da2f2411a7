/** A conversation that begins with `initialize` and lasts: facts are learnt once, list changes are pushed. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { Unsubscribe } from '../events/feed.ts';
import type { CallContext, ClientFacts } from '../model/call.ts';
import type { JsonObject } from '../model/json.ts';
import { fromInitialize, UNKNOWN_CLIENT } from './client-facts.ts';
import { onListChanges } from './list-changes.ts';
import { answer } from './methods.ts';
import type { ClientCall, Session, SessionOpening } from './session.ts';
import type { SessionParts } from './sessions.ts';
import { openSurface } from './surface.ts';

/** Opens a legacy conversation; `closed` is told when it ends. */
export function openLegacySession(opening: SessionOpening, parts: SessionParts, closed: () => void): Session {
  const { endpoint, principal } = opening;
  const surface = openSurface(endpoint, parts);
  const profile = endpoint.kind === 'mode' ? endpoint.profile : undefined;
  let facts: ClientFacts | undefined;
  let stopNews: Unsubscribe | undefined;

  const contextOf = (call: ClientCall): CallContext => ({
    principal,
    profile,
    facts: facts ?? UNKNOWN_CLIENT,
    signal: call.signal,
    client: call.client,
  });

  async function initialize(params: JsonObject, call: ClientCall): Promise<JsonObject> {
    facts = fromInitialize(params);
    // One upstream's greeting is its own, so its first contact is waited for; aggregated ones are ours.
    if (endpoint.kind === 'upstream') await parts.catalog.settled();
    stopNews?.();
    stopNews = onListChanges(parts.catalog, surface, contextOf(call), (notification) =>
      opening.push(notification, {}),
    );
    const instructions = surface.instructions();
    return {
      protocolVersion: facts.protocolVersion,
      capabilities: surface.capabilities(),
      serverInfo: parts.identity,
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  return {
    async request(method, params, call) {
      if (method === 'initialize') return initialize(params, call);
      if (!facts && method !== 'ping') {
        throw new GatewayError(
          'INVALID_REQUEST',
          `"${method}" came before "initialize"; open the conversation first`,
        );
      }
      return answer(method, {
        params,
        context: contextOf(call),
        surface,
        catalog: parts.catalog,
      });
    },
    // Nothing a client announces matters yet: cancellation is the transport's, roots come with questions.
    notification() {},
    close() {
      stopNews?.();
      closed();
    },
  };
}

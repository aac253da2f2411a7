/** A conversation that begins with `initialize` and lasts: facts are learnt once, changes are pushed. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { Unsubscribe } from '../events/feed.ts';
import type { CallContext, ClientFacts, ClientPort } from '../model/call.ts';
import type { UpstreamId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import { isLogLevel } from '../model/log-level.ts';
import { fromInitialize, UNKNOWN_CLIENT } from './client-facts.ts';
import { onListChanges } from './list-changes.ts';
import { withLogFilter } from './log-filter.ts';
import { answer, toText } from './methods.ts';
import { isNews } from './news.ts';
import type { ClientCall, Session, SessionOpening } from './session.ts';
import type { SessionParts } from './sessions.ts';
import { openSurface, type Surface } from './surface.ts';
import { openWatchedResources, type WatchedResources } from './watched-resources.ts';

/** Opens a legacy conversation; `closed` is told when it ends. */
export function openLegacySession(opening: SessionOpening, parts: SessionParts, closed: () => void): Session {
  return new LegacySession(opening, parts, closed);
}

class LegacySession implements Session {
  readonly #opening: SessionOpening;
  readonly #parts: SessionParts;
  readonly #closed: () => void;
  readonly #surface: Surface;
  readonly #conversation: string;
  readonly #watched: WatchedResources;
  readonly #elicitations = new Set<unknown>();
  #facts: ClientFacts | undefined;
  #logLevel: string | undefined;
  #stopNews: Unsubscribe[] = [];
  #isClosed = false;

  constructor(opening: SessionOpening, parts: SessionParts, closed: () => void) {
    this.#opening = opening;
    this.#parts = parts;
    this.#closed = closed;
    this.#conversation = parts.nextConversation();
    this.#surface = openSurface(opening.endpoint, true, parts);
    this.#watched = openWatchedResources(parts.catalog, opening.push);
  }

  async request(method: string, params: JsonObject, call: ClientCall): Promise<JsonObject> {
    if (method === 'initialize') return this.#initialize(params, call);
    if (!this.#facts && method !== 'ping') {
      throw new GatewayError(
        'INVALID_REQUEST',
        `"${method}" came before "initialize"; open the conversation first`,
      );
    }
    const context = this.#contextOf(call);
    switch (method) {
      case 'logging/setLevel':
        return this.#setLogLevel(params);
      case 'resources/subscribe':
        await this.#watched.add(toText(params, 'uri'), this.#surface.view(context));
        return {};
      case 'resources/unsubscribe':
        this.#watched.remove(toText(params, 'uri'));
        return {};
      default:
        return answer(method, {
          params,
          context,
          surface: this.#surface,
          catalog: this.#parts.catalog,
          account: this.#parts.account,
        });
    }
  }

  notification(method: string, params: JsonObject): void {
    if (!this.#facts || method === 'notifications/initialized') return;
    const context = this.#contextOf({ id: 0, signal: this.#parts.stopping, client: { notify() {} } });
    const { only } = this.#surface.view(context);
    if (only !== undefined) void this.#parts.catalog.notify(only, method, params, context).catch(() => {});
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stopNews) stop();
    this.#watched.close();
    this.#closed();
  }

  async #initialize(params: JsonObject, call: ClientCall): Promise<JsonObject> {
    const { push } = this.#opening;
    const { catalog, identity } = this.#parts;
    this.#facts = fromInitialize(params);
    // The greeting names tools, and one upstream's is its own; so a first contact is given its moment.
    await catalog.settled();
    if (this.#isClosed) throw new GatewayError('CALL_CANCELLED', 'the client left before it was greeted');
    this.#stopNews = [
      onListChanges(catalog, this.#surface, this.#contextOf(call), (notification) => push(notification, {})),
      catalog.onNotification((upstream, method, content) => this.#onNews(upstream, method, content)),
    ];
    const instructions = await this.#surface.instructions(this.#contextOf(call));
    return {
      protocolVersion: this.#facts.protocolVersion,
      capabilities: this.#surface.capabilities(),
      serverInfo: identity,
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  #setLogLevel(params: JsonObject): JsonObject {
    const { level } = params;
    if (!isLogLevel(level))
      throw new GatewayError('INVALID_PARAMS', `"${String(level)}" is no log level; use "info" or another`);
    this.#logLevel = level;
    return {};
  }

  /** What an upstream says outside any request reaches those it can only be meant for. */
  #onNews(upstream: UpstreamId, method: string, params: JsonObject): void {
    if (method === 'notifications/elicitation/complete') {
      if (this.#elicitations.delete(params['elicitationId'])) this.#opening.push(method, params);
      return;
    }
    if (!isNews(method)) return;
    const context = this.#contextOf({ id: 0, signal: this.#parts.stopping, client: { notify() {} } });
    if (this.#surface.view(context).only === upstream) this.#opening.push(method, params);
  }

  #contextOf(call: ClientCall): CallContext {
    const { endpoint, principal } = this.#opening;
    const context: CallContext = {
      principal,
      conversation: this.#conversation,
      profile: endpoint.kind === 'mode' ? endpoint.profile : undefined,
      facts: this.#facts ?? UNKNOWN_CLIENT,
      logLevel: this.#logLevel,
      retry: undefined,
      signal: call.signal,
      client: call.client,
    };
    return { ...context, client: withLogFilter(this.#remembering(call.client), context) };
  }

  /** Notes which elicitations went to this client, so that it alone hears when one is done elsewhere. */
  #remembering(client: ClientPort): ClientPort {
    const { ask } = client;
    if (!ask) return client;
    return {
      ...client,
      ask: (method, params, signal) => {
        if (params['elicitationId'] !== undefined) this.#elicitations.add(params['elicitationId']);
        return ask(method, params, signal);
      },
    };
  }
}

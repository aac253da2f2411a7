/** A conversation without state: every request says who asks; changes are heard through `subscriptions/listen`. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { CallContext, ClientFacts, ClientPort, Retry } from '../model/call.ts';
import { MAY_NEED_INPUT, needsInput } from '../model/input-required.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { isLogLevel } from '../model/log-level.ts';
import { LEGACY_REVISIONS, LISTEN, META, MODERN_REVISION, metaOf } from '../model/mcp.ts';
import { fromRequestMeta } from './client-facts.ts';
import type { InputState, StatefulRequest } from './input-state.ts';
import { listen } from './listen.ts';
import { withLogFilter } from './log-filter.ts';
import { answer, CACHEABLE } from './methods.ts';
import { checkParamHeaders } from './param-headers.ts';
import type { Step } from './parking.ts';
import type { ClientCall, ModernOpening, Session } from './session.ts';
import type { SessionParts } from './sessions.ts';
import { openSurface, type Surface, toEndpointKey } from './surface.ts';

/** How long a modern client may keep a list without asking again; a listener hears of changes at once. */
const LIST_TTL_MS = 30_000;

/** Opens a modern conversation. */
export function openModernSession(opening: ModernOpening, parts: SessionParts): Session {
  return new ModernSession(opening, parts);
}

class ModernSession implements Session {
  readonly #opening: ModernOpening;
  readonly #parts: SessionParts;
  readonly #surface: Surface;
  /** Over stdio one client is at the other end for good; over HTTP a session lives for one request. */
  readonly #conversation: string;

  constructor(opening: ModernOpening, parts: SessionParts) {
    this.#opening = opening;
    this.#parts = parts;
    this.#conversation = parts.nextConversation();
    this.#surface = opening.lasts
      ? openSurface(opening.endpoint, true, parts)
      : parts.sharedSurface(opening.endpoint);
  }

  async request(method: string, params: JsonObject, call: ClientCall): Promise<JsonObject> {
    const ttlMs = method === 'resources/read' || !this.#surface.keepable ? 0 : LIST_TTL_MS;
    return toModernResult(method, await this.#run(method, params, call), ttlMs, this.#parts);
  }

  // The revision has no notification a client could send but cancellation, which is the transport's.
  notification(): void {}

  close(): void {}

  async #run(method: string, params: JsonObject, call: ClientCall): Promise<JsonObject> {
    const facts = fromRequestMeta(params);
    const context = this.#contextOf(facts, params, call);
    if (method === 'server/discover') return this.#discover(context);
    if (method === LISTEN) return listen(params, call, context, this.#surface, this.#parts);
    if (method === 'tools/call') checkParamHeaders(params, call.paramHeaders, this.#surface.view(context));
    if (!MAY_NEED_INPUT.has(method)) return this.#answer(method, params, context);
    return this.#runWithInput(method, params, call, context);
  }

  #answer(method: string, params: JsonObject, context: CallContext): Promise<JsonObject> {
    const call = {
      params: withoutEnvelope(method, params),
      context,
      surface: this.#surface,
      catalog: this.#parts.catalog,
      account: this.#parts.account,
    };
    return answer(method, call);
  }

  async #discover(context: CallContext): Promise<JsonObject> {
    await this.#parts.catalog.settled();
    const instructions = await this.#surface.instructions(context);
    return {
      supportedVersions: [MODERN_REVISION, ...LEGACY_REVISIONS],
      capabilities: this.#surface.capabilities(),
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  /** Runs a call that may need input: questions of a modern server pass, those of a legacy one park the call. */
  async #runWithInput(
    method: string,
    params: JsonObject,
    call: ClientCall,
    context: CallContext,
  ): Promise<JsonObject> {
    const request = () => this.#toStateful(method, params);
    const responses = isJsonObject(params['inputResponses']) ? params['inputResponses'] : undefined;
    const state = this.#stateOf(params, request);
    if (state?.kind === 'parked') {
      const step = await this.#parts.parking.resume(this.#owner, state.ticket, responses ?? {}, call);
      return this.#toResult(step, request);
    }
    const retry: Retry | undefined = (responses || state) && {
      inputResponses: responses,
      requestState: state?.state,
    };
    const resumed = retry ? { ...context, retry } : context;
    if (!canBeAsked(context.facts))
      return this.#toPassed(await this.#answer(method, params, resumed), request);
    const step = await this.#parts.parking.start(this.#owner, call, (client, signal) =>
      this.#answer(method, params, { ...resumed, signal, client: withLogFilter(client, context) }),
    );
    return this.#toResult(step, request);
  }

  /** Few calls need input: for the others it would be made in vain. */
  #toStateful(method: string, params: JsonObject): StatefulRequest {
    const { principal, endpoint } = this.#opening;
    return { principal, endpoint: toEndpointKey(endpoint), method, params };
  }

  #stateOf(params: JsonObject, request: () => StatefulRequest): InputState | undefined {
    const text = params['requestState'];
    if (text === undefined) return undefined;
    if (typeof text === 'string') return this.#parts.inputStates.fromState(text, request());
    throw new GatewayError(
      'INVALID_PARAMS',
      'requestState has to be the string this request was answered with',
    );
  }

  #toResult(step: Step, request: () => StatefulRequest): JsonObject {
    if (step.kind === 'answer') return this.#toPassed(step.result, request);
    const requestState = this.#parts.inputStates.toState({ kind: 'parked', ticket: step.ticket }, request());
    return { resultType: 'input_required', inputRequests: step.inputRequests, requestState };
  }

  #toPassed(result: JsonObject, request: () => StatefulRequest): JsonObject {
    if (!needsInput(result)) return result;
    const { requestState: state } = result;
    if (typeof state !== 'string') return result;
    return { ...result, requestState: this.#parts.inputStates.toState({ kind: 'passed', state }, request()) };
  }

  get #owner(): string {
    return `${this.#opening.principal.id} ${toEndpointKey(this.#opening.endpoint)}`;
  }

  #contextOf(facts: ClientFacts, params: JsonObject, call: ClientCall): CallContext {
    const { endpoint, principal } = this.#opening;
    const client: ClientPort = { notify: call.client.notify };
    const context: CallContext = {
      principal,
      conversation: this.#conversation,
      profile: endpoint.kind === 'mode' ? endpoint.profile : undefined,
      facts,
      logLevel: toLogLevel(params),
      retry: undefined,
      signal: call.signal,
      client,
    };
    return { ...context, client: withLogFilter(client, context) };
  }
}

function toLogLevel(params: JsonObject): string | undefined {
  const level = metaOf(params)[META.logLevel];
  if (level === undefined || isLogLevel(level)) return level;
  throw new GatewayError('INVALID_PARAMS', `"${String(level)}" is no log level; use "info" or another`);
}

/** A client that can answer nothing needs no way to be asked. */
function canBeAsked({ capabilities }: ClientFacts): boolean {
  return ['elicitation', 'sampling', 'roots'].some((capability) => capabilities[capability] !== undefined);
}

const OWN_KEYS: ReadonlySet<string> = new Set(Object.values(META));

/** Upstreams are told of a call by its context; whatever else `_meta` holds goes on as it is. */
function withoutEnvelope(method: string, params: JsonObject): JsonObject {
  const meta = Object.fromEntries(Object.entries(metaOf(params)).filter(([key]) => !OWN_KEYS.has(key)));
  const { _meta, ...rest } = MAY_NEED_INPUT.has(method) ? withoutRetry(params) : params;
  return Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest;
}

/** What takes a call up again is in its context, where it survives whatever a mode does to the parameters. */
function withoutRetry({ inputResponses, requestState, ...params }: JsonObject): JsonObject {
  return params;
}

function toModernResult(method: string, result: JsonObject, ttlMs: number, parts: SessionParts): JsonObject {
  const asks = needsInput(result);
  return {
    resultType: 'complete',
    ...(CACHEABLE.has(method) && !asks ? { ttlMs, cacheScope: 'private' } : {}),
    ...result,
    _meta: { ...metaOf(result), [META.serverInfo]: parts.identity },
  };
}

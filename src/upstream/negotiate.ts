/** Finds out which era a server speaks and greets it, as "Versioning" of revision 2026-07-28 asks. */
import { GatewayError, RpcError } from '../errors/gateway-error.ts';
import type { Clock } from '../lib/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import {
  type Era,
  type Implementation,
  LATEST_LEGACY_REVISION,
  LEGACY_REVISIONS,
  META,
  MODERN_REVISION,
  metaOf,
  type ServerHello,
} from '../model/mcp.ts';
import { createDeferred } from './deferred.ts';
import { toEnvelope } from './envelope.ts';
import type { Talk } from './talk.ts';

/** Which greeting to try: one era, or whichever the server turns out to speak. */
export type Plan = Era | 'unknown';

/** What a greeting needs. */
export interface GreetOptions {
  readonly plan: Plan;
  readonly self: Implementation;
  /** The capabilities we declare to a legacy server. */
  readonly declares: JsonObject;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How long a probe may stay unanswered before `initialize` is sent as well. */
const PROBE_MS = 2_000;
const UNSUPPORTED_VERSION = -32022;
const MODERN_ERRORS: ReadonlySet<number> = new Set([-32020, -32021]);

/** Greets the server; resolves with what it says of itself. */
export async function greet(talk: Talk, options: GreetOptions): Promise<ServerHello> {
  if (options.plan === 'modern') return discover(talk, options);
  if (options.plan === 'legacy') return initialize(talk, options);
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  try {
    return await probe(talk, { ...options, signal });
  } finally {
    stop.abort();
  }
}

async function probe(talk: Talk, options: GreetOptions): Promise<ServerHello> {
  const discovered = discover(talk, options);
  const outcome = discovered.then(
    (hello) => ({ hello }),
    (error: unknown) => ({ error }),
  );
  const quiet = createDeferred<undefined>();
  const cancelTimer = options.clock.after(PROBE_MS, () => quiet.resolve(undefined));
  const early = await Promise.race([outcome, quiet.promise]);
  cancelTimer();
  if (early === undefined) {
    // Some servers never answer what they do not know, others merely start slowly: both get both greetings.
    return Promise.any([discovered, initialize(talk, options)]).catch((all: AggregateError) => {
      throw all.errors.at(-1);
    });
  }
  if ('hello' in early) return early.hello;
  // Refused, but ours is among what it offers: a passing condition of the server, worth one more try at once.
  if (offersOurs(early.error)) return discover(talk, options);
  if (!meansLegacy(early.error) || talk.ended) throw early.error;
  return initialize(talk, options);
}

function offersOurs(error: unknown): boolean {
  return (
    error instanceof RpcError &&
    error.code === UNSUPPORTED_VERSION &&
    supportedIn(error.data).includes(MODERN_REVISION)
  );
}

/** True unless the error is one that only a modern server, or no server at all, would cause. */
function meansLegacy(error: unknown): boolean {
  if (error instanceof RpcError) {
    if (error.code === UNSUPPORTED_VERSION) return !supportedIn(error.data).includes(MODERN_REVISION);
    return !MODERN_ERRORS.has(error.code);
  }
  if (!(error instanceof GatewayError)) return false;
  return (
    error.code === 'UPSTREAM_PROTOCOL' || (error.code === 'UPSTREAM_UNAVAILABLE' && 'status' in error.data)
  );
}

function supportedIn(data: JsonValue | undefined): readonly JsonValue[] {
  const supported = isJsonObject(data) ? data['supported'] : undefined;
  return Array.isArray(supported) ? supported : [];
}

async function discover(talk: Talk, { self, signal }: GreetOptions): Promise<ServerHello> {
  const result = await talk.peer.request('server/discover', { _meta: toEnvelope(self) }, { signal });
  const versions = result['supportedVersions'];
  if (!Array.isArray(versions) || !versions.includes(MODERN_REVISION)) {
    throw new GatewayError(
      'UPSTREAM_PROTOCOL',
      `answered server/discover without revision ${MODERN_REVISION}`,
    );
  }
  talk.link.channel.agreed?.(MODERN_REVISION);
  return toHello(result, metaOf(result)[META.serverInfo] ?? result['serverInfo'], 'modern', MODERN_REVISION);
}

async function initialize(talk: Talk, { self, declares, signal }: GreetOptions): Promise<ServerHello> {
  const result = await talk.peer.request(
    'initialize',
    { protocolVersion: LATEST_LEGACY_REVISION, capabilities: declares, clientInfo: self },
    { signal },
  );
  const version = result['protocolVersion'];
  if (typeof version !== 'string' || !LEGACY_REVISIONS.includes(version)) {
    throw new GatewayError(
      'UPSTREAM_PROTOCOL',
      `answered initialize with revision ${JSON.stringify(version)}, which is not spoken here; look for another version of it`,
    );
  }
  talk.link.channel.agreed?.(version);
  talk.peer.notify('notifications/initialized', {});
  return toHello(result, result['serverInfo'], 'legacy', version);
}

function toHello(result: JsonObject, info: JsonValue | undefined, era: Era, version: string): ServerHello {
  const said = isJsonObject(info) ? info : {};
  const name = typeof said['name'] === 'string' ? said['name'] : 'unknown';
  const own = typeof said['version'] === 'string' ? said['version'] : '0';
  const instructions = result['instructions'];
  return {
    era,
    protocolVersion: version,
    serverInfo: { ...said, name, version: own },
    capabilities: isJsonObject(result['capabilities']) ? result['capabilities'] : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

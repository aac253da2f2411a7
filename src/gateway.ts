/** The composition root: builds the parts in the order a request travels, and nothing else. */
import { join } from 'node:path';
import type { Catalog } from './catalog/catalog.ts';
import { createLessonKeeper, type LessonKeeper } from './catalog/lesson-keeper.ts';
import { openCatalog } from './catalog/open-catalog.ts';
import type { Config } from './config/config.ts';
import { type Environment, readEnvironment, toBaseEnvironment } from './config/environment.ts';
import { parseConfig } from './config/parse.ts';
import { createResolver } from './config/references.ts';
import type { ConfigInput, ConfigParts } from './config/schema.ts';
import { createFeed, type Feed } from './events/feed.ts';
import { createArgumentCheck } from './exposure/argument-check.ts';
import type { ModePorts } from './exposure/ports.ts';
import { MODES } from './exposure/registry.ts';
import { systemClock } from './lib/clock.ts';
import type { UpstreamId } from './model/ids.ts';
import { VERSION } from './model/version.ts';
import { POLICIES } from './policy/order.ts';
import { type Health, toHealth } from './session/health.ts';
import { createInputStates } from './session/input-state.ts';
import { createParking } from './session/parking.ts';
import type { Sessions } from './session/session.ts';
import { createSessions } from './session/sessions.ts';
import { createMemoryStore } from './store/memory-store.ts';
import { openStoreOrMemory } from './store/open.ts';
import type { Store } from './store/store.ts';
import type { HttpServer } from './transport/http/server.ts';
import type { HostedServer } from './upstream/connectors/builtin/connector.ts';
import { createConnectors } from './upstream/connectors/registry.ts';
import type { Authoriser } from './upstream/credentials/credentials.ts';
import { createKeyring } from './upstream/credentials/keyring.ts';
import type { Upstreams } from './upstream/upstream.ts';
import { createUpstreams } from './upstream/upstreams.ts';

/** What a gateway is built from, beside its configuration. */
export interface GatewayOptions {
  /** Where the store lives; without it nothing outlives the process. */
  readonly home?: string;
  /** Where `${env:X}` is looked up and what children may inherit from. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Handed the feed before the first news, so that nothing is missed. */
  readonly onOpen?: (feed: Feed) => void;
  /** Servers of your own that run inside the gateway's process, by name. */
  readonly hosted?: ReadonlyMap<string, () => HostedServer | Promise<HostedServer>>;
  /** Lets somebody log in to servers while the gateway runs; without it they wait for `thimble login`. */
  readonly authoriser?: Authoriser;
}

/** The plug-ins a configuration may name. */
export const CONFIG_PARTS: ConfigParts = {
  connectors: createConnectors({ hosted: new Map() }),
  modes: MODES.map((mode) => mode.name),
};

/** A running gateway; disposing it stops every server it started. */
export interface Gateway extends AsyncDisposable {
  readonly sessions: Sessions;
  readonly catalog: Catalog;
  readonly upstreams: Upstreams;
  readonly feed: Feed;
  health(): Health;
  /** Serves it over HTTP; the configuration's address unless another is given. */
  listen(address?: {
    readonly host?: string | undefined;
    readonly port?: number | undefined;
  }): Promise<HttpServer>;
  /** Lets a person log in to a server that asks for it. */
  logIn(upstream: UpstreamId, authoriser: Authoriser): Promise<void>;
  /** Makes the running gateway equal to a new configuration. */
  reload(config: Config): Promise<void>;
}

/** Builds a gateway and starts to learn what its servers offer; resolves as soon as it can answer. */
export async function createGateway(
  input: Config | ConfigInput,
  options: GatewayOptions = {},
): Promise<Gateway> {
  const config =
    'upstreams' in input ? input : parseConfig(JSON.stringify(input), 'configuration', CONFIG_PARTS);
  const env = options.env ?? readEnvironment();
  const feed = createFeed();
  options.onOpen?.(feed);
  const store = await openHomeStore(options.home, env, feed);
  const { credentials } = store;
  const keyring = createKeyring({ store: credentials, clock: systemClock, authoriser: options.authoriser });
  const upstreams = createUpstreams({
    connectors: createConnectors({ hosted: options.hosted ?? new Map() }),
    manifests: store.manifests,
    keyring,
    resolve: createResolver(env),
    baseEnv: toBaseEnvironment(env),
    feed,
  });
  await upstreams.apply(config.upstreams);
  const lessons = createLessonKeeper(store.lessons, config.exposure.search.learn, systemClock);
  const face = openFace({ config, upstreams, lessons, feed });
  return {
    sessions: face.sessions,
    catalog: face.catalog,
    upstreams,
    feed,
    health: face.health,
    async listen({ host = config.http.host, port = config.http.port } = {}) {
      // Loaded on demand: a gateway on stdio never pays for an HTTP server.
      const { openHttpServer } = await import('./transport/http/server.ts');
      return openHttpServer({
        host,
        port,
        sessions: face.sessions,
        health: () => ({ ...face.health() }),
        feed,
      });
    },
    logIn: keyring.logIn,
    async reload(next) {
      face.follow(next);
      await upstreams.apply(next.upstreams);
    },
    async [Symbol.asyncDispose]() {
      face[Symbol.dispose]();
      await lessons[Symbol.asyncDispose]();
      await upstreams[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** The store in the home, one in memory when it cannot be used, or none to keep anything without a home. */
async function openHomeStore(home: string | undefined, env: Environment, feed: Feed): Promise<Store> {
  if (home === undefined) return createMemoryStore();
  const store = await openStoreOrMemory(join(home, 'thimble.db'), { key: env['THIMBLE_KEY'] });
  if (store.degraded !== undefined) feed.publish({ type: 'store.degraded', reason: store.degraded });
  return store;
}

/** What clients meet: the catalogue and everything above it. */
interface Face extends Disposable, Pick<Gateway, 'sessions' | 'catalog' | 'health'> {
  /** Takes over what a new configuration says about it. */
  follow(config: Config): void;
}

function openFace(parts: { config: Config; upstreams: Upstreams; lessons: LessonKeeper; feed: Feed }): Face {
  const { config, upstreams, lessons, feed } = parts;
  const stopping = new AbortController();
  let current = config;
  const reserved = new Set(MODES.flatMap((mode) => mode.reserved));
  const names = () => ({ reserved, maxLength: current.names.maxLength });
  const catalog = openCatalog({ upstreams, names, feed, lessons });
  const ports: ModePorts = {
    namespace: config.namespace,
    argumentCheck: createArgumentCheck(),
    searchMemory: catalog.searchMemory,
  };
  const shown = { catalog, policies: POLICIES, modes: MODES, ports };
  const sessions = createSessions({
    ...shown,
    identity: { name: 'thimble', version: VERSION },
    stopping: stopping.signal,
    parking: createParking(systemClock),
    inputStates: createInputStates(),
    addresses: () => ({
      defaultMode: current.exposure.mode,
      modes: MODES.map((mode) => mode.name),
      upstreams: upstreams.all.filter(({ config: { enabled } }) => enabled).map(({ config: { id } }) => id),
    }),
  });
  return {
    sessions,
    catalog,
    health: () => toHealth({ ...shown, upstreams }),
    follow(next) {
      const renames = next.names.maxLength !== current.names.maxLength;
      current = next;
      if (renames) catalog.renamed();
    },
    [Symbol.dispose]() {
      stopping.abort();
      catalog[Symbol.dispose]();
    },
  };
}

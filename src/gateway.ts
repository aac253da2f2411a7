/** The composition root: builds the parts in the order a request travels, and nothing else. */
import { join } from 'node:path';
import { BUILTINS } from './builtin/registry.ts';
import type { Catalog } from './catalog/catalog.ts';
import { createLessonKeeper } from './catalog/lesson-keeper.ts';
import { MANAGE, withManage } from './config/builtin-servers.ts';
import type { Config } from './config/config.ts';
import { type Environment, readEnvironment, toBaseEnvironment } from './config/environment.ts';
import { withOverrides } from './config/overrides.ts';
import { parseConfig } from './config/parse.ts';
import { createResolver, refersToSecrets } from './config/references.ts';
import type { ConfigInput, ConfigParts } from './config/schema.ts';
import { GatewayError } from './errors/gateway-error.ts';
import { createFeed, type Feed } from './events/feed.ts';
import { MODES } from './exposure/registry.ts';
import { openBooks } from './gateway/books.ts';
import { disposeInTurn } from './gateway/dispose.ts';
import { openFace } from './gateway/face.ts';
import { createInside, type Inside } from './gateway/inside.ts';
import { systemClock } from './lib/clock.ts';
import type { UpstreamId } from './model/ids.ts';
import type { Health } from './session/health.ts';
import type { Sessions } from './session/session.ts';
import { openShares } from './session/shares.ts';
import type { SurfaceParts } from './session/surface.ts';
import { createMemoryStore } from './store/memory-store.ts';
import { openStoreOrMemory } from './store/open.ts';
import { openSecrets } from './store/secrets.ts';
import type { Store } from './store/store.ts';
import type { HttpServer, Pages } from './transport/http/server.ts';
import type { HostedServer, HostedServers } from './upstream/connectors/builtin/connector.ts';
import { createConnectors } from './upstream/connectors/registry.ts';
import type { Authoriser } from './upstream/credentials/credentials.ts';
import { createKeyring } from './upstream/credentials/keyring.ts';
import { createProcessGroups, type ProcessGroups } from './upstream/process-groups.ts';
import type { Upstreams } from './upstream/upstream.ts';
import { createUpstreams } from './upstream/upstreams.ts';

/** What a gateway is built from, beside its configuration. */
export interface GatewayOptions {
  /** Where the store lives; without it nothing outlives the process. */
  readonly home?: string;
  /** Where `${env:X}` is looked up and what children may inherit from. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whose context sections count beside the common ones. */
  readonly device?: string | undefined;
  /** Handed the feed before the first news, so that nothing is missed. */
  readonly onOpen?: (feed: Feed) => void;
  /** Servers of your own that run inside the gateway's process, by name. */
  readonly hosted?: ReadonlyMap<string, () => HostedServer | Promise<HostedServer>>;
  /** False keeps the kept values from a configuration that is not the person's own; until a reload says otherwise. */
  readonly keptValues?: boolean | undefined;
  /** The server through which agents manage all this; there while the configuration has it on. */
  readonly manage?: ManageHosting;
  /** Lets somebody log in to servers while the gateway runs; without it they wait for `thimble login`. */
  readonly authoriser?: Authoriser;
}

/** How the server `manage` is made, and what its tools were called elsewhere. */
export interface ManageHosting {
  create(gateway: Pick<Gateway, 'store' | 'feed'>): HostedServer | Promise<HostedServer>;
  /** Names of old, with how to ask for the same now. */
  formerNames(): Promise<ReadonlyMap<string, string>>;
}

/** The plug-ins a configuration may name. */
export const CONFIG_PARTS: ConfigParts = {
  connectors: createConnectors({ hosted: new Map() }),
  modes: MODES.map((mode) => mode.name),
  builtins: BUILTINS,
};

/** A running gateway; disposing it stops every server it started. */
export interface Gateway extends AsyncDisposable {
  readonly sessions: Sessions;
  readonly catalog: Catalog;
  readonly upstreams: Upstreams;
  readonly feed: Feed;
  readonly store: Store;
  /** What surfaces are made of, for those who look at them on nobody's behalf. */
  readonly surfaces: SurfaceParts;
  health(): Promise<Health>;
  /** Serves it over HTTP; the configuration's address unless another is given. */
  listen(address?: {
    readonly host?: string | undefined;
    readonly port?: number | undefined;
    /** Answers before the pages of built-in servers do. */
    readonly pages?: Pages['answer'] | undefined;
    /** Tells the owner's requests by their `Authorization`. */
    readonly isOwner?: ((authorization: string) => boolean) | undefined;
  }): Promise<HttpServer>;
  /** Lets a person log in to a server that asks for it. */
  logIn(upstream: UpstreamId, authoriser: Authoriser): Promise<void>;
  /** Makes the running gateway equal to a new configuration; whether that may use kept values stays as it was unless said. */
  reload(config: Config, options?: Pick<GatewayOptions, 'keptValues'>): Promise<void>;
  /** Reads kept values anew: servers that refer to a changed one are started with it. */
  refresh(): Promise<void>;
}

/** Builds a gateway and starts to learn what its servers offer; resolves as soon as it can answer. */
export async function createGateway(
  input: Config | ConfigInput,
  options: GatewayOptions = {},
): Promise<Gateway> {
  const env = options.env ?? readEnvironment();
  const toWhole = (given: Config) => withManage(withOverrides(given, env), options.manage !== undefined);
  const config = toWhole(toConfig(input));
  let current = config;
  let mayUseKept = options.keptValues !== false;
  let applying: Promise<void> = Promise.resolve();
  const feed = createFeed();
  options.onOpen?.(feed);
  const store = await openHomeStore(options.home, env, feed);
  const { credentials } = store;
  let secrets = mayUseKept ? await readSecrets(config, store) : NO_SECRETS;
  const resolve = createResolver(env, () => secrets);
  const keyring = createKeyring({ store: credentials, clock: systemClock, authoriser: options.authoriser });
  const inside = createInside({
    config: () => current,
    store: toBuiltinStore(store, options.home),
    home: options.home,
    device: options.device,
    resolve,
    feed,
  });
  const upstreams = createUpstreams({
    connectors: createConnectors({ hosted: toHosted(inside, options, { store, feed }) }),
    manifests: store.manifests,
    keyring,
    ...(options.home === undefined ? {} : { groups: createGroups(options.home, feed) }),
    resolve,
    baseEnv: toBaseEnvironment(env),
    feed,
  });
  await upstreams.apply(config.upstreams);
  const lessons = createLessonKeeper(store.lessons, config.exposure.search.learn, systemClock);
  if (store.degraded === undefined) inside.startBackground();
  const books = openBooks({ store, feed, namespace: config.namespace });
  const { tokens, account, onCalled } = books;
  const { instructions } = inside;
  const face = openFace({
    config,
    upstreams,
    lessons,
    feed,
    store,
    tokens,
    account,
    onCalled,
    instructions,
    formerNames: options.manage?.formerNames,
  });
  async function apply(next: Config, withKept: boolean): Promise<void> {
    secrets = withKept ? await readSecrets(next, store) : NO_SECRETS;
    mayUseKept = withKept;
    current = next;
    face.follow(next);
    await inside.follow();
    await upstreams.apply(next.upstreams);
  }
  /** One after the other, each beginning with what the one before left: a refresh must not bring back what was replaced. */
  function inTurn(step: () => Promise<void>): Promise<void> {
    const done = applying.then(step);
    applying = done.catch(() => {});
    return done;
  }

  return {
    sessions: face.sessions,
    catalog: face.catalog,
    surfaces: face.surfaces,
    store,
    upstreams,
    feed,
    health: face.health,
    async listen({ host = config.http.host, port = config.http.port, pages, isOwner } = {}) {
      // Loaded on demand: a gateway on stdio never pays for an HTTP server.
      const { openHttpServer } = await import('./transport/http/server.ts');
      const { sessions, health } = face;
      const allPages = toPages(inside.pages, pages);
      const shares = openShares(store);
      const served = { sessions, health, feed, pages: allPages, shares, isOwner };
      const server = await openHttpServer({ host, port, ...served });
      inside.listensAt(server.url);
      return server;
    },
    logIn: keyring.logIn,
    reload: (given, { keptValues } = {}) =>
      inTurn(async () => apply(toWhole(given), keptValues ?? mayUseKept)),
    refresh: () => inTurn(() => apply(current, mayUseKept)),
    [Symbol.asyncDispose]: () => disposeInTurn([face, lessons, upstreams, inside, books, store]),
  };
}

/** Our servers promise to keep what they are given: without the file they say so instead of forgetting it. */
function toBuiltinStore(store: Store, home: string | undefined): Store {
  const { degraded } = store;
  if (home === undefined || degraded === undefined) return store;
  return {
    ...store,
    tables: () => Promise.reject(new GatewayError('STORE_UNAVAILABLE', degraded)),
  };
}

/** Every server that runs inside the process, by name. */
function toHosted(
  { hosted }: Inside,
  given: GatewayOptions,
  own: Pick<Gateway, 'store' | 'feed'>,
): HostedServers {
  const { manage } = given;
  const managing: HostedServers = manage ? new Map([[MANAGE, () => manage.create(own)]]) : new Map();
  return new Map([...hosted, ...managing, ...(given.hosted ?? [])]);
}

function toPages(pages: Pages, first: Pages['answer'] | undefined): Pages {
  if (!first) return pages;
  return { ...pages, answer: async (request) => (await first(request)) ?? pages.answer(request) };
}

const NO_SECRETS: ReadonlyMap<string, string> = new Map();

/** The kept values, where some server refers to one. */
async function readSecrets({ upstreams }: Config, store: Store): Promise<ReadonlyMap<string, string>> {
  return upstreams.some(({ options }) => refersToSecrets(options)) ? openSecrets(store).all() : new Map();
}

/** What a gateway that was killed left running is ended by the next one of the same home. */
function createGroups(home: string, feed: Feed): ProcessGroups {
  return createProcessGroups({
    directory: join(home, 'groups'),
    clock: systemClock,
    onFault: (error) => feed.publish({ type: 'fault', where: 'noting a program', error }),
  });
}

function toConfig(input: Config | ConfigInput): Config {
  return 'upstreams' in input ? input : parseConfig(JSON.stringify(input), 'configuration', CONFIG_PARTS);
}

/** The store in the home, one in memory when it cannot be used, or none to keep anything without a home. */
async function openHomeStore(home: string | undefined, env: Environment, feed: Feed): Promise<Store> {
  if (home === undefined) return createMemoryStore();
  const store = await openStoreOrMemory(join(home, 'thimble.db'), { key: env['THIMBLE_KEY'] });
  if (store.degraded !== undefined) feed.publish({ type: 'store.degraded', reason: store.degraded });
  return store;
}

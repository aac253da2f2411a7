/** The servers inside the gateway, made when they are first called, with what they have in common. */
import type { BuiltinParts, BuiltinRoutes } from '../builtin/builtin.ts';
import { BUILTINS } from '../builtin/registry.ts';
import type { Config } from '../config/config.ts';
import type { Resolver } from '../config/references.ts';
import type { Feed } from '../events/feed.ts';
import { systemClock } from '../lib/clock.ts';
import { onceLoaded } from '../lib/once-loaded.ts';
import type { JsonObject } from '../model/json.ts';
import type { Instructions } from '../session/instructions.ts';
import type { Store } from '../store/store.ts';
import type { Pages } from '../transport/http/server.ts';
import type { HostedServers } from '../upstream/connectors/builtin/connector.ts';
import { disposeTogether } from './dispose.ts';
import { createInstructions } from './instructions.ts';
import { createNeighbours } from './neighbours.ts';

/** What they are made with. */
export interface InsideParts {
  /** As of now: the servers follow it. */
  readonly config: () => Config;
  readonly store: Store;
  readonly home: string | undefined;
  readonly device: string | undefined;
  /** Puts values in place of references such as `${env:X}`. */
  readonly resolve: Resolver;
  /** Hears of what went wrong inside a server, which clients do not. */
  readonly feed: Pick<Feed, 'publish'>;
}

/** The servers by name, and what clients are told at the start; disposing it ends what they keep running. */
export interface Inside extends AsyncDisposable {
  readonly hosted: HostedServers;
  readonly instructions: Instructions;
  /** What they serve over HTTP. */
  readonly pages: Pages;
  /** Begins, after a moment, what servers do while nobody calls them. */
  startBackground(): void;
  /** Ends what servers keep running that were switched off or have other options now, and begins it anew where it belongs. */
  follow(): Promise<void>;
  /** Told where the gateway listens, so that links can be made. */
  listensAt(url: string): void;
}

/** A start must not wait for what nobody has asked for. */
const BACKGROUND_AFTER_MS = 2_000;

/** Something a server keeps running, and what it was made with. */
interface Kept {
  readonly server: string;
  readonly options: string;
  readonly value: AsyncDisposable;
}

/** Prepares them; nothing of them is loaded before it is needed. */
export function createInside(given: InsideParts): Inside {
  const { config, store, home, device, resolve, feed } = given;
  const { namespace } = config();
  const kept = new Map<string, Kept>();
  let url: string | undefined;
  let isBackgroundStarted = false;
  let cancelStart = () => {};

  const toParts: ToParts = (server, options) => ({
    store,
    namespace,
    device,
    home,
    options,
    cipher: store.cipher,
    baseUrl: () => url,
    onFault: (error) => feed.publish({ type: 'fault', where: `the built-in server ${server}`, error }),
    keep<T extends AsyncDisposable>(name: string, create: () => T): T {
      const found = kept.get(name) ?? { server, options: JSON.stringify(options), value: create() };
      kept.set(name, found);
      // Whoever knows a name made what is under it.
      return found.value as T;
    },
    ...neighbours,
  });

  /** The options of a server with every reference resolved; undefined when it is off or something is missing. */
  function optionsOf(name: string): JsonObject | undefined {
    const upstream = config().upstreams.find(({ id, core }) => core && id === name);
    const resolved = upstream && resolve((upstream.options['options'] ?? {}) as JsonObject);
    return resolved?.ok ? resolved.options : undefined;
  }

  const neighbours = createNeighbours((name) => {
    const options = optionsOf(name);
    return options && toParts(name, options);
  });
  const hosted: HostedServers = new Map(
    BUILTINS.map(({ name, load }) => [name, async (options) => (await load())(toParts(name, options))]),
  );

  const pages = createPages(optionsOf, toParts);

  function startServers(): void {
    isBackgroundStarted = true;
    for (const { name, background } of BUILTINS) {
      const options = background && optionsOf(name);
      // Whatever keeps it from starting is told when somebody calls it.
      if (options)
        background()
          .then((start) => start(toParts(name, options)))
          .catch(() => {});
    }
  }

  /** Takes out what was made with other options than those of now, or of a server that is off. */
  function takeOutdated(): readonly Kept[] {
    const outdated = [...kept].filter(
      ([, { server, options }]) => JSON.stringify(optionsOf(server)) !== options,
    );
    for (const [name] of outdated) kept.delete(name);
    return outdated.map(([, one]) => one);
  }

  return {
    hosted,
    instructions: createInstructions({ store, namespace, device }),
    pages,
    listensAt(address) {
      url = address;
    },
    startBackground() {
      cancelStart = systemClock.after(BACKGROUND_AFTER_MS, startServers);
    },
    async follow() {
      pages.forget();
      await disposeTogether(takeOutdated().map(({ value }) => value));
      if (isBackgroundStarted) startServers();
    },
    async [Symbol.asyncDispose]() {
      cancelStart();
      await disposeTogether([...kept.values()].map(({ value }) => value));
    },
  };
}

/** Makes the parts of a server from its options. */
type ToParts = (server: string, options: JsonObject) => BuiltinParts;

/** The pages of all servers; those that were opened can be forgotten, lest they hold on to what is ended. */
interface OpenPages extends Pages {
  forget(): void;
}

function createPages(optionsOf: (name: string) => JsonObject | undefined, toParts: ToParts): OpenPages {
  const pages = BUILTINS.flatMap(({ name, routes }) => (routes ? [{ ...routes, name }] : []));
  const opened = new Map<string, { readonly key: string; readonly routes: () => Promise<BuiltinRoutes> }>();
  const load = async (page: (typeof pages)[number], options: JsonObject) =>
    (await page.load())(toParts(page.name, options));
  return {
    forget: () => opened.clear(),
    takesUploads: (path) => pages.some(({ uploads }) => uploads !== undefined && path.startsWith(uploads)),
    async answer(request) {
      const { pathname } = new URL(request.url);
      const page = pages.find(({ under }) => pathname === under || pathname.startsWith(`${under}/`));
      const options = page && optionsOf(page.name);
      if (!options) return undefined;
      const key = JSON.stringify(options);
      const before = opened.get(page.name);
      const open = before?.key === key ? before : { key, routes: onceLoaded(() => load(page, options)) };
      opened.set(page.name, open);
      return (await open.routes())(request);
    },
  };
}

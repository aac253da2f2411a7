/** The servers inside the gateway, made when they are first called, and the greeting they have in common. */
import type { BuiltinParts } from '../builtin/builtin.ts';
import { BUILTINS, type BuiltinRoutes } from '../builtin/registry.ts';
import type { Config } from '../config/config.ts';
import type { Resolver } from '../config/references.ts';
import type { JsonObject } from '../model/json.ts';
import type { Instructions } from '../session/instructions.ts';
import type { Store } from '../store/store.ts';
import type { Pages } from '../transport/http/server.ts';
import type { HostedServers } from '../upstream/connectors/builtin/connector.ts';

/** What they are made with. */
export interface InsideParts {
  readonly config: Config;
  readonly store: Store;
  readonly home: string | undefined;
  readonly device: string | undefined;
  /** Puts values in place of references such as `${env:X}`. */
  readonly resolve: Resolver;
}

/** The servers by name, and what clients are told at the start. */
export interface Inside {
  readonly hosted: HostedServers;
  readonly instructions: Instructions;
  /** What they serve over HTTP. */
  readonly pages: Pages;
  /** Told where the gateway listens, so that links can be made. */
  listensAt(url: string): void;
}

/** Prepares them; nothing of them is loaded before it is needed. */
export function createInside({ config, store, home, device, resolve }: InsideParts): Inside {
  const { namespace } = config;
  let url: string | undefined;
  const toParts = (options: JsonObject) => ({
    store,
    namespace,
    device,
    home,
    options,
    baseUrl: () => url,
    activeProjects: () => listActiveProjects(store),
  });
  const hosted: HostedServers = new Map(
    BUILTINS.map(({ name, load }) => [name, async (options) => (await load())(toParts(options))]),
  );
  const pages = BUILTINS.flatMap(({ name, routes }) => {
    const upstream = config.upstreams.find(({ id, core }) => core && id === name);
    return routes && upstream ? [{ ...routes, options: upstream.options['options'] as JsonObject }] : [];
  });
  const opened = new Map<string, Promise<BuiltinRoutes>>();
  return {
    hosted,
    instructions: createInstructions({ store, namespace, device }),
    listensAt(address) {
      url = address;
    },
    pages: {
      takesUploads: (path) => pages.some(({ uploads }) => uploads !== undefined && path.startsWith(uploads)),
      async answer(request) {
        const { pathname } = new URL(request.url);
        const page = pages.find(({ under }) => pathname === under || pathname.startsWith(`${under}/`));
        if (!page) return undefined;
        const resolved = resolve(page.options);
        if (!resolved.ok) return undefined;
        const opening = opened.get(page.under) ?? page.load().then((open) => open(toParts(resolved.options)));
        opened.set(page.under, opening);
        return (await opening)(request);
      },
    },
  };
}

/** The greeting: the person's context, with every tool named as it is called there; nothing without the memory server. */
function createInstructions(parts: Pick<BuiltinParts, 'store' | 'namespace' | 'device'>): Instructions {
  return {
    async text(exposure, view) {
      const own = view.upstreams().filter(({ core }) => core);
      if (!own.some(({ upstream }) => upstream === 'memory')) return undefined;
      const { createInstructionSource } = await import('../builtin/memory/context/instructions.ts');
      const ids = new Set(own.map(({ upstream }) => upstream));
      const entries = view.list('tool').filter(({ upstream }) => ids.has(upstream));
      const names = await Promise.all(
        entries.map(async (entry) => [entry.name, await exposure.mention(entry, view)] as const),
      );
      const mentions = new Map(names);
      const text = await createInstructionSource(parts).text((tool) => mentions.get(tool));
      return text === '' ? undefined : text;
    },
  };
}

/** What the memory server's guide says of the projects under way. */
async function listActiveProjects(store: Store) {
  const [{ openProjects }, { listProjects }] = await Promise.all([
    import('../builtin/projects/context.ts'),
    import('../builtin/projects/project-list.ts'),
  ]);
  return listProjects(await openProjects({ store }), {
    status: 'active',
    limit: 5,
    offset: 0,
  });
}

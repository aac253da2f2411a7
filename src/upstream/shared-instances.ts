/** Instances by what they are made of: configured servers that come to the same share one. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { UpstreamId } from '../model/ids.ts';
import type { MakingParts, Plan } from './make-upstream.ts';
import type { Upstream, UpstreamConfig } from './upstream.ts';

/** The instances that are there. */
export interface SharedInstances {
  /** An upstream under its own name, over an instance that is there already or made now. */
  join(plan: Plan, after: () => Promise<unknown> | undefined): Upstream;
}

interface Shared {
  readonly instance: Upstream;
  /** The configured servers it serves. */
  readonly users: Set<UpstreamConfig>;
}

/** Creates an empty set. */
export function createSharedInstances(parts: Pick<MakingParts, 'feed' | 'onNotification'>): SharedInstances {
  const byKey = new Map<string, Shared>();

  function open(shareKey: string, plan: Plan, after: Promise<unknown> | undefined): Shared {
    const users = new Set([plan.config]);
    const shared: Shared = { users, instance: plan.make(after, toNews(users, parts)) };
    byKey.set(shareKey, shared);
    return shared;
  }

  return {
    join(plan, after) {
      const { shareKey, config } = plan;
      if (shareKey === undefined) return plan.make(after(), parts);
      const known = byKey.get(shareKey);
      const shared = known ?? open(shareKey, plan, after());
      shared.users.add(config);
      const upstream = createFace(config, shared.instance, async () => {
        shared.users.delete(config);
        if (shared.users.size > 0) return;
        if (byKey.get(shareKey) === shared) byKey.delete(shareKey);
        await shared.instance[Symbol.asyncDispose]();
      });
      // What it replaces may be itself under another name or tag: it goes only now that there is somebody in its place.
      if (known) void after();
      return upstream;
    },
  };
}

/** News of an instance is news of every server it serves. */
function toNews(
  users: ReadonlySet<UpstreamConfig>,
  { feed, onNotification }: Pick<MakingParts, 'feed' | 'onNotification'>,
): Pick<MakingParts, 'feed' | 'onNotification'> {
  const ids = (): ReadonlySet<UpstreamId> => new Set([...users].map(({ id }) => id));
  return {
    feed: {
      publish(event) {
        if (!('upstream' in event)) feed.publish(event);
        else for (const upstream of ids()) feed.publish({ ...event, upstream });
      },
      on: (listener) => feed.on(listener),
    },
    onNotification(_config, method, params) {
      for (const user of users) onNotification(user, method, params);
    },
  };
}

/** One server's own view of an instance. */
function createFace(config: UpstreamConfig, instance: Upstream, leave: () => Promise<void>): Upstream {
  const from = instance.config.name;
  const renamed = <T>(answer: Promise<T>): Promise<T> =>
    from === config.name
      ? answer
      : answer.catch((error: unknown) => {
          throw toRenamedError(error, from, config.name);
        });
  return {
    config,
    get state() {
      return instance.state;
    },
    get manifest() {
      return instance.manifest;
    },
    firstContact: instance.firstContact,
    notes: () => instance.notes(),
    status: () => instance.status(),
    restart: (reason) => instance.restart(reason),
    request: (method, params, call) => renamed(instance.request(method, params, call)),
    watch: (uri, call) => renamed(instance.watch(uri, call)),
    notify: (method, params, call) => renamed(instance.notify(method, params, call)),
    [Symbol.asyncDispose]: leave,
  };
}

/** The same error in the name of the server that was called. */
function toRenamedError(error: unknown, from: string, to: string): unknown {
  if (!(error instanceof GatewayError) || error.data['upstream'] !== from) return error;
  const message = error.message.startsWith(`${from}: `)
    ? `${to}${error.message.slice(from.length)}`
    : error.message;
  return new GatewayError(error.code, message, { cause: error, data: { ...error.data, upstream: to } });
}

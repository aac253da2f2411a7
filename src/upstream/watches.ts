/** Watches resources of a server for changes, once however many clients asked, in the way of its era. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { CancelSignal } from '../lib/cancel.ts';
import { toOwnCall } from './manifest-keeper.ts';
import type { Connection } from './upstream.ts';

/** The resources of one server that somebody watches. */
export interface Watches {
  /** Watches a resource; all who ask before the server has answered hear its refusal. */
  add(uri: string, connection: Connection): Promise<void>;
  remove(uri: string, connection: Connection | undefined): void;
  /** Asks a fresh connection for everything that is watched. */
  renew(connection: Connection): void;
}

interface Watched {
  count: number;
  /** Settles with the answer of the server. */
  readonly asked: Promise<void>;
}

/** Creates an empty set, which ends with the signal; `name` is how errors name the upstream. */
export function createWatches(stopping: CancelSignal, name: string): Watches {
  const watched = new Map<string, Watched>();
  const streams = createStreams(() => [...watched.keys()].sort());
  stopping.addEventListener('abort', () => streams.end(), { once: true });

  async function say(method: string, uri: string, connection: Connection): Promise<void> {
    await connection.request(method, { uri }, toOwnCall(stopping));
  }

  async function listenTo(uri: string, connection: Connection): Promise<void> {
    if (!(await streams.change(connection)).includes(uri)) throw toUnwatchedError(uri, name);
  }

  /** Listens for what is watched now, on nobody's behalf. */
  function listenAnew(connection: Connection): void {
    streams.change(connection).catch(() => {});
  }

  async function ask(uri: string, connection: Connection): Promise<void> {
    const isModern = connection.hello.era === 'modern';
    try {
      await (isModern ? listenTo(uri, connection) : say('resources/subscribe', uri, connection));
    } catch (error) {
      watched.delete(uri);
      if (isModern) listenAnew(connection);
      throw error;
    }
  }

  return {
    add(uri, connection) {
      const known = watched.get(uri);
      if (known) {
        known.count += 1;
        return known.asked;
      }
      const asked = ask(uri, connection);
      watched.set(uri, { count: 1, asked });
      return asked;
    },
    remove(uri, connection) {
      const known = watched.get(uri);
      if (!known) return;
      known.count -= 1;
      if (known.count > 0) return;
      watched.delete(uri);
      if (!connection) return;
      if (connection.hello.era === 'modern') listenAnew(connection);
      else say('resources/unsubscribe', uri, connection).catch(() => {});
    },
    renew(connection) {
      streams.end();
      if (connection.hello.era === 'modern') listenAnew(connection);
      else for (const uri of watched.keys()) say('resources/subscribe', uri, connection).catch(() => {});
    },
  };
}

/** The modern way: one stream for all resources, and another in its place when they change. */
interface Streams {
  /** Opens a stream for what is watched now; resolves with the resources the server agreed to tell of. */
  change(connection: Connection): Promise<readonly unknown[]>;
  end(): void;
}

function createStreams(uris: () => readonly string[]): Streams {
  const open = new Set<AbortController>();
  let changing: Promise<readonly unknown[]> | undefined;

  function close(streams: Iterable<AbortController>): void {
    for (const stop of streams) {
      open.delete(stop);
      stop.abort();
    }
  }

  async function start(connection: Connection): Promise<readonly unknown[]> {
    const earlier = [...open];
    const resourceSubscriptions = uris();
    if (resourceSubscriptions.length === 0) {
      close(earlier);
      return [];
    }
    const stop = new AbortController();
    open.add(stop);
    const { resourceSubscriptions: agreed } = await connection.listen({ resourceSubscriptions }, stop.signal);
    // Those before it go only now, so that nothing is missed in between.
    close(earlier);
    return Array.isArray(agreed) ? agreed : [];
  }

  return {
    change(connection) {
      // Clients mostly ask for several at once: they make one stream.
      changing ??= Promise.resolve().then(() => {
        changing = undefined;
        return start(connection);
      });
      return changing;
    },
    end: () => close([...open]),
  };
}

function toUnwatchedError(uri: string, name: string): GatewayError {
  const text = `${name}: does not tell of changes of ${uri}; read it again when you need it`;
  return new GatewayError('METHOD_NOT_FOUND', text, { data: { upstream: name, uri } });
}

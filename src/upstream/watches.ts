/** Watches resources of a server for changes, once however many clients asked, in the way of its era. */
import type { CancelSignal } from '../lib/cancel.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { JsonObject } from '../model/json.ts';
import { toOwnCall } from './manifest-keeper.ts';
import { LISTEN } from './subscription.ts';
import type { Connection } from './upstream.ts';

/** The resources of one server that somebody watches. */
export interface Watches {
  /** Watches a resource; the first to ask hears the server's refusal. */
  add(uri: string, connection: Connection): Promise<void>;
  remove(uri: string, connection: Connection | undefined): void;
  /** Asks a fresh connection for everything that is watched. */
  renew(connection: Connection): void;
}

/** A stream that ended is opened again after this long. */
const RENEW_MS = 1_000;

/** Creates an empty set; `live` says which connection is the current one. */
export function createWatches(
  stopping: CancelSignal,
  live: () => Connection | undefined,
  clock: Clock = systemClock,
): Watches {
  const counts = new Map<string, number>();
  let stopStream = new AbortController();

  /** The modern way: one stream for all of them, opened anew when they change. */
  function stream(connection: Connection): void {
    stopStream.abort();
    if (counts.size === 0) return;
    stopStream = new AbortController();
    const params: JsonObject = { notifications: { resourceSubscriptions: [...counts.keys()].sort() } };
    const { signal } = stopStream;
    const renew = () => {
      if (!signal.aborted && !stopping.aborted && live() === connection) stream(connection);
    };
    const again = () => void clock.after(RENEW_MS, renew);
    connection.request(LISTEN, params, toOwnCall(signal)).then(again, again);
  }

  async function say(method: string, uri: string, connection: Connection): Promise<void> {
    await connection.request(method, { uri }, toOwnCall(stopping));
  }

  return {
    async add(uri, connection) {
      const count = counts.get(uri) ?? 0;
      counts.set(uri, count + 1);
      if (count > 0) return;
      if (connection.hello.era === 'modern') {
        stream(connection);
        return;
      }
      try {
        await say('resources/subscribe', uri, connection);
      } catch (error) {
        counts.delete(uri);
        throw error;
      }
    },
    remove(uri, connection) {
      const count = counts.get(uri) ?? 0;
      if (count > 1) counts.set(uri, count - 1);
      else counts.delete(uri);
      if (count !== 1 || !connection) return;
      if (connection.hello.era === 'modern') stream(connection);
      else say('resources/unsubscribe', uri, connection).catch(() => {});
    },
    renew(connection) {
      if (connection.hello.era === 'modern') stream(connection);
      else for (const uri of counts.keys()) say('resources/subscribe', uri, connection).catch(() => {});
    },
  };
}

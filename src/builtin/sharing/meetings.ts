/** Who is there: lets contacts in, keeps one conversation with each, and dials those for whom something waits. */
import type { Sharing } from './context.ts';
import { DIAL_MS, STRANGER_LIMIT } from './limits.ts';
import type { NetworkEvents, PeerNetwork } from './network/network.ts';
import { openPeerSession, type PeerSession } from './peer/session.ts';
import type { Contact } from './rows/contacts.ts';

/** All conversations of a node. */
export interface Meetings extends NetworkEvents {
  /** The network to dial on. */
  use(network: PeerNetwork): void;
  /** Who is to be refused, and who is to be reached: keys of contacts and of makers of accepted invites. */
  know(contacts: readonly Contact[], keys: ReadonlySet<string>): void;
  /** Something waits for the owners of these keys. */
  hurry(keys: readonly string[]): void;
  /** Ends every conversation, and begins no more. */
  end(): Promise<void>;
}

/** Creates them; `changed` is called when somebody was let in. */
export function createMeetings(parts: { readonly sharing: Sharing; changed(): void }): Meetings {
  const { sharing, changed } = parts;
  const { clock } = sharing;
  const sessions = new Map<string, PeerSession>();
  const dialled = new Map<string, number>();
  let network: PeerNetwork | undefined;
  let refused: ReadonlySet<string> = new Set();
  let friends: ReadonlySet<string> = new Set();
  let ended = false;

  const countStrangers = () => [...sessions.keys()].filter((key) => !friends.has(key)).length;

  function dial(key: string): void {
    dialled.set(key, clock.now());
    network?.dial(key);
  }

  return {
    isRefused: (key) => refused.has(key),
    connected(key, stream) {
      const isTooMany = !friends.has(key) && !sessions.has(key) && countStrangers() >= STRANGER_LIMIT;
      if (ended || refused.has(key) || isTooMany) {
        stream.destroy();
        return;
      }
      const session = toSuccessor(sessions.get(key), () =>
        openPeerSession({ sharing, key, stream, opened: changed }),
      );
      sessions.set(key, session);
      void session.done.then(() => {
        if (sessions.get(key) === session) sessions.delete(key);
      });
    },
    use(given) {
      network = given;
    },
    know(contacts, keys) {
      refused = new Set(contacts.filter(({ blocked }) => blocked === 1).map(({ peer_key }) => peer_key));
      for (const key of refused) sessions.get(key)?.close();
      for (const key of friends) {
        if (keys.has(key)) continue;
        dialled.delete(key);
        network?.forget(key);
      }
      friends = keys;
      for (const key of keys) if (!dialled.has(key)) dial(key);
    },
    hurry(keys) {
      for (const key of keys) {
        const session = sessions.get(key);
        if (session) session.wake();
        else if (clock.now() - (dialled.get(key) ?? 0) >= DIAL_MS) dial(key);
      }
    },
    async end() {
      ended = true;
      for (const session of sessions.values()) session.close();
      await Promise.all([...sessions.values()].map(({ done }) => done));
    },
  };
}

/** A conversation that begins once the one before it with the same peer is over, so that no two ever write at once. */
function toSuccessor(previous: PeerSession | undefined, open: () => PeerSession): PeerSession {
  if (!previous) return open();
  let session: PeerSession | undefined;
  let closed = false;
  previous.close();
  return {
    done: previous.done.then(() => {
      session = open();
      if (closed) session.close();
      return session.done;
    }),
    wake: () => session?.wake(),
    close() {
      closed = true;
      session?.close();
    },
  };
}

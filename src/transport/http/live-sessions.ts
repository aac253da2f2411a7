/** The legacy sessions alive: found by id at the place they were opened, bounded in number, forgotten when idle. */
import { randomBytes } from 'node:crypto';
import { type Conversation, openConversation } from '../conversation.ts';
import { SESSION_IDLE_MS, SESSION_LIMIT, SESSION_SWEEP_MS } from '../limits.ts';
import { type Address, principalOf } from './address.ts';
import type { HttpContext } from './http-context.ts';
import { LegacyChannel } from './legacy-channel.ts';
import { endShares, type Shared } from './shared-things.ts';

/** One session with its conversation. */
export interface LiveSession extends Shared {
  readonly channel: LegacyChannel;
  readonly talk: Conversation;
  /** Where it was opened: it is unknown everywhere else. */
  readonly place: string;
}

/** All of them. */
export interface LiveSessions {
  /** Opens one; undefined when all that are alive are at work. */
  open(address: Address): LiveSession | undefined;
  find(address: Address, id: string): LiveSession | undefined;
  end(session: LiveSession): void;
  /** Ends the sessions of shares that are over; true when some of others are left. */
  endShares(isOver: (share: string) => boolean): boolean;
  close(): void;
}

/** Creates the table, empty. */
export function createLiveSessions(context: HttpContext, limit = SESSION_LIMIT): LiveSessions {
  const { clock, sessions, principal, feed, calls } = context;
  const live = new Map<string, LiveSession>();
  let cancelSweep: (() => void) | undefined;

  function end(session: LiveSession): void {
    live.delete(session.channel.id);
    void session.talk.close();
  }

  function sweep(): void {
    cancelSweep = undefined;
    const oldest = clock.now() - SESSION_IDLE_MS;
    for (const session of [...live.values()]) if (session.channel.lastUsed < oldest) end(session);
    scheduleSweep();
  }

  function scheduleSweep(): void {
    if (live.size > 0) cancelSweep ??= clock.after(SESSION_SWEEP_MS, sweep);
  }

  return {
    open(address) {
      const endpoint = sessions.endpointOf(address.path, address.profile);
      if (live.size >= limit) {
        const least = findLeastMissed([...live.values()]);
        if (least === undefined) return undefined;
        end(least);
      }
      const channel = new LegacyChannel(randomBytes(24).toString('base64url'), clock);
      const onClosed = () => void live.delete(channel.id);
      const talk = openConversation(channel, {
        sessions,
        endpoint,
        principal: principalOf(address, principal),
        feed,
        clock,
        calls,
        onClosed,
      });
      const session = { channel, talk, place: address.place, share: address.guest?.share };
      live.set(channel.id, session);
      scheduleSweep();
      return session;
    },
    find(address, id) {
      const session = live.get(id);
      return session?.place === address.place ? session : undefined;
    },
    end,
    endShares: (isOver) => endShares(live.values(), isOver, end),
    close() {
      cancelSweep?.();
      for (const { talk } of [...live.values()]) void talk.cut();
    },
  };
}

/** The session idle longest; one that still listens only when all do, one at work never. */
function findLeastMissed(all: readonly LiveSession[]): LiveSession | undefined {
  const quiet = all.filter(({ channel }) => !channel.busy);
  const silent = quiet.filter(({ channel }) => !channel.listening);
  const [first, ...others] = silent.length > 0 ? silent : quiet;
  if (first === undefined) return undefined;
  return others.reduce((a, b) => (b.channel.lastUsed < a.channel.lastUsed ? b : a), first);
}

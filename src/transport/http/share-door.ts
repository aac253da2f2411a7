/** The door of shares: who has the token of one comes in, and everybody is out as soon as it ends. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { Feed } from '../../events/feed.ts';
import type { CancelTimer, Clock } from '../../lib/clock.ts';
import { toSharePrincipal } from '../../model/principal.ts';
import type { Sessions } from '../../session/session.ts';
import { type ShareKey, type Shares, toTokenDigest } from '../../session/shares.ts';
import { REQUEST_MS } from '../limits.ts';
import type { Address } from './address.ts';

/** Whose door it is. */
export interface ShareDoorParts {
  /** Undefined where nothing can be shared. */
  readonly shares: Pick<Shares, 'list' | 'used'> | undefined;
  readonly sessions: Pick<Sessions, 'endpointOf'>;
  readonly feed: Feed;
  readonly clock: Clock;
  /** Ends what goes on by shares that are over; true when anything by others still does. */
  end(isOver: (share: string) => boolean): boolean;
}

/** Lets people in by their tokens. */
export interface ShareDoor {
  /** The address of what is shared, for who has the token; throws TOKEN_REFUSED to everybody else alike. */
  admit(address: Address, headers: IncomingHttpHeaders): Promise<Address>;
  /** Looks again, before anything is done: who was let in by the head of a request may take time over its body. */
  check(address: Address): Promise<void>;
  close(): void;
}

/** How old what is known of shares may be. */
const FRESH_MS = 500;
/** How often a use is noted. */
const NOTE_MS = 60_000;
/** Compared with where there is no such share, so that it takes as long. */
const NOBODY = toTokenDigest('');

/** Opens the door. */
export function createShareDoor({ shares, sessions, feed, clock, end }: ShareDoorParts): ShareDoor {
  const noted = new Map<string, number>();
  let known: readonly ShareKey[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let admittedAt = Number.NEGATIVE_INFINITY;
  let cancelWatch: CancelTimer | undefined;
  let closed = false;

  /** What is in force; what cannot be read is not, once it is not known any more. */
  async function read(): Promise<readonly ShareKey[]> {
    if (!shares || clock.now() - readAt < FRESH_MS) return known;
    try {
      known = await shares.list();
    } catch (error) {
      known = [];
      feed.publish({ type: 'fault', where: 'reading what is shared', error });
    }
    readAt = clock.now();
    return known;
  }

  function watch(): void {
    if (closed) return;
    cancelWatch ??= clock.after(FRESH_MS, () => void look());
  }

  async function look(): Promise<void> {
    const inForce = new Set((await read()).filter(isInForce).map(({ id }) => id));
    cancelWatch = undefined;
    const isLeft = end((id) => !inForce.has(id));
    // Whoever was let in a moment ago may not be running anything yet.
    if (isLeft || clock.now() - admittedAt < REQUEST_MS) watch();
  }

  function letIn(): void {
    admittedAt = clock.now();
    watch();
  }

  function note({ id }: ShareKey): void {
    const last = noted.get(id);
    if (!shares || (last !== undefined && clock.now() - last < NOTE_MS)) return;
    noted.set(id, clock.now());
    // When it was last used is worth no more than a try.
    shares.used(id).catch(() => {});
  }

  return {
    async admit(address, headers) {
      const share = (await read()).find(({ name }) => name === address.share);
      const isRight = hasToken(headers, share?.digest ?? NOBODY);
      if (!share || !isRight || !isInForce(share)) throw toRefusal();
      note(share);
      letIn();
      const { id, name } = share;
      const target = toTarget(share);
      checkTarget(target, sessions);
      return {
        ...address,
        ...target,
        // Another share of the same name has sessions of its own.
        place: `${address.path} ${id}`,
        guest: { share: id, principal: toSharePrincipal(name) },
      };
    },
    async check({ guest }) {
      if (!guest) return;
      const share = (await read()).find(({ id }) => id === guest.share);
      if (!share || !isInForce(share)) throw toRefusal();
      letIn();
    },
    close() {
      closed = true;
      cancelWatch?.();
    },
  };
}

type Target = Pick<Address, 'path' | 'profile'>;

function toTarget({ kind, target }: ShareKey): Target {
  return kind === 'server'
    ? { path: `/s/${target}/mcp`, profile: undefined }
    : { path: '/mcp', profile: target };
}

/** What is not there any more is not explained to guests: that would name what else there is. */
function checkTarget({ path, profile }: Target, sessions: Pick<Sessions, 'endpointOf'>): void {
  try {
    sessions.endpointOf(path, profile);
  } catch (error) {
    throw new GatewayError(
      'UPSTREAM_DISABLED',
      'what is shared here is switched off or gone; ask whoever shares it',
      { cause: error },
    );
  }
}

function isInForce({ expiresAt }: ShareKey): boolean {
  return expiresAt > Date.now();
}

const BEARER = /^Bearer +([\w.~+/=-]{1,500})$/i;

function hasToken({ authorization }: IncomingHttpHeaders, digest: string): boolean {
  const [, token = ''] = BEARER.exec(authorization ?? '') ?? [];
  const same = timingSafeEqual(Buffer.from(toTokenDigest(token), 'hex'), Buffer.from(digest, 'hex'));
  return same && token !== '';
}

function toRefusal(): GatewayError {
  return new GatewayError(
    'TOKEN_REFUSED',
    'this address takes a valid token only; send it as Authorization: Bearer <token>, and ask whoever shares this for a new one if it has ended',
  );
}

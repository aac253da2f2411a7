/** How many programs may run at once; when all places are taken, whoever idles longest makes room. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { CancelSignal } from '../lib/cancel.ts';
import type { Clock } from '../lib/clock.ts';
import { createWaitingLine } from '../lib/waiting-line.ts';
import type { Leave } from './bulkhead.ts';

/** Somebody whose program takes a place. */
export interface Tenant {
  /** How errors name it. */
  readonly name: string;
  /** True when its program runs and nobody uses it. */
  readonly isIdle: boolean;
  readonly lastUsedAt: number;
  /** Ends its program; its place is free when that has ended. */
  rest(): void;
}

/** The places for programs. */
export interface Capacity {
  readonly taken: number;
  /** Resolves with a place; rejects with TOO_BUSY when nobody idles for too long. */
  enter(tenant: Tenant, signal: CancelSignal): Promise<Leave>;
  /** Told when a tenant has become idle. */
  free(): void;
}

const MAX_WAIT_MS = 8_000;

/** Creates so many places. */
export function createCapacity(places: number, clock: Clock): Capacity {
  // One for each program: a tenant whose last one is still ending has two.
  const taken = new Set<{ readonly tenant: Tenant }>();
  const leaving = new Set<Tenant>();
  const line = createWaitingLine<Leave>(clock);

  function take(tenant: Tenant): Leave {
    const place = { tenant };
    taken.add(place);
    return () => {
      leaving.delete(tenant);
      if (taken.delete(place)) line.admitFirst();
    };
  }

  /** Asks as many idle tenants to go as wait for their places. */
  function makeRoom(): void {
    if (line.size === 0) return;
    const idle = [...new Set([...taken].map(({ tenant }) => tenant))].filter((tenant) => tenant.isIdle);
    idle.sort((a, b) => a.lastUsedAt - b.lastUsedAt);
    for (const tenant of idle) {
      if (leaving.size >= line.size) return;
      if (leaving.has(tenant)) continue;
      leaving.add(tenant);
      tenant.rest();
    }
  }

  function wait(tenant: Tenant, signal: CancelSignal): Promise<Leave> {
    const entered = line.wait({
      signal,
      limitMs: MAX_WAIT_MS,
      take: () => take(tenant),
      toLateError: () => toFullError(tenant.name, places),
    });
    makeRoom();
    return entered;
  }

  return {
    get taken() {
      return taken.size;
    },
    async enter(tenant, signal) {
      signal.throwIfAborted();
      return taken.size < places ? take(tenant) : wait(tenant, signal);
    },
    free: makeRoom,
  };
}

function toFullError(name: string, places: number): GatewayError {
  return new GatewayError(
    'TOO_BUSY',
    `${name}: cannot start, since ${places} programs run already and all of them are in use; try again in a moment`,
    { data: { upstream: name, places, retryInMs: MAX_WAIT_MS } },
  );
}

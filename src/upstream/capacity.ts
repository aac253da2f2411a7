/** How many programs may run at once; when all places are taken, whoever idles longest makes room. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { CancelSignal } from '../lib/cancel.ts';
import type { Clock } from '../lib/clock.ts';
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
  const waiting = new Set<() => void>();

  function take(tenant: Tenant): Leave {
    const place = { tenant };
    taken.add(place);
    return () => {
      leaving.delete(tenant);
      if (taken.delete(place)) waiting.values().next().value?.();
    };
  }

  /** Asks as many idle tenants to go as wait for their places. */
  function makeRoom(): void {
    if (waiting.size === 0) return;
    const idle = [...new Set([...taken].map(({ tenant }) => tenant))].filter((tenant) => tenant.isIdle);
    idle.sort((a, b) => a.lastUsedAt - b.lastUsedAt);
    for (const tenant of idle) {
      if (leaving.size >= waiting.size) return;
      if (leaving.has(tenant)) continue;
      leaving.add(tenant);
      tenant.rest();
    }
  }

  function wait(tenant: Tenant, signal: CancelSignal): Promise<Leave> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        waiting.delete(go);
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
      };
      const go = () => {
        stop();
        resolve(take(tenant));
      };
      const onAbort = () => {
        stop();
        reject(signal.reason);
      };
      const cancelTimer = clock.after(MAX_WAIT_MS, () => {
        stop();
        reject(toFullError(tenant.name, places));
      });
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.add(go);
      makeRoom();
    });
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

/** What modes remember of their callers: for a conversation that lasts in memory, for one that does not in the store. */
import type { Unsubscribe } from '../events/feed.ts';
import type { ModeState } from '../exposure/ports.ts';
import type { Now } from '../lib/clock.ts';
import type { JsonObject } from '../model/json.ts';

/** State that says when it was changed. */
export interface SurfaceState extends ModeState {
  onChange(caller: string, listener: () => void): Unsubscribe;
}

/** Rows of state by key; see the store. */
export interface StateRows {
  /** Undefined when there is none, or it was not used since the given moment. */
  read(key: string, usedSince: number): Promise<JsonObject | undefined>;
  /** Reads and replaces in one step, whoever else tries. */
  update(
    key: string,
    usedSince: number,
    change: (now: JsonObject | undefined) => JsonObject,
  ): Promise<JsonObject>;
}

/** Where surfaces get their state from. */
export interface ModeStates {
  /** Forgotten with the conversation it was made for. */
  passing(): SurfaceState;
  /** Kept for each client of an endpoint, and forgotten when it is not used for so long. */
  lasting(endpoint: string, lifetimeMs: number): SurfaceState;
}

/** Creates the states of a gateway over rows in its store. */
export function createModeStates(rows: StateRows, now: Now): ModeStates {
  const listeners = createListeners();
  return {
    passing() {
      const states = new Map<string, JsonObject>();
      const own = createListeners();
      return {
        read: async (caller) => states.get(caller),
        async update(caller, change) {
          const next = change(states.get(caller));
          states.set(caller, next);
          own.tell(caller);
          return next;
        },
        onChange: own.add,
      };
    },
    lasting(endpoint, lifetimeMs) {
      const toKey = (caller: string) => JSON.stringify([endpoint, caller]);
      const usedSince = () => now() - lifetimeMs;
      return {
        read: (caller) => rows.read(toKey(caller), usedSince()),
        async update(caller, change) {
          const next = await rows.update(toKey(caller), usedSince(), change);
          listeners.tell(toKey(caller));
          return next;
        },
        onChange: (caller, listener) => listeners.add(toKey(caller), listener),
      };
    },
  };
}

interface Listeners {
  add(key: string, listener: () => void): Unsubscribe;
  tell(key: string): void;
}

function createListeners(): Listeners {
  const byKey = new Map<string, Set<() => void>>();
  return {
    add(key, listener) {
      const listening = byKey.get(key) ?? new Set();
      byKey.set(key, listening.add(listener));
      return () => {
        listening.delete(listener);
        if (listening.size === 0 && byKey.get(key) === listening) byKey.delete(key);
      };
    },
    tell(key) {
      for (const listener of byKey.get(key) ?? []) listener();
    },
  };
}

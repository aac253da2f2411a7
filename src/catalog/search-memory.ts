/** Joins searches to the calls they led to: the latest search that showed the tool, if it is not too long ago. */
import type { Entry } from './catalog.ts';

/** Hears of searches and calls. */
export interface SearchMemory {
  searched(caller: string, query: string, found: readonly Entry[]): void;
  called(caller: string, entry: Entry): void;
}

/** What a memory tells when a search turns out to have led to a call. */
export type OnLesson = (caller: string, query: string, entry: Entry) => void;

const MAX_AGE_MS = 10 * 60_000;
const MAX_CALLS = 20;
const MAX_CALLERS = 1_000;

interface Searched {
  readonly query: string;
  readonly found: ReadonlySet<Entry>;
  readonly at: number;
}

interface Caller {
  readonly searches: readonly Searched[];
  readonly calls: number;
}

/** Creates a memory; it forgets callers it has not heard of for longest. */
export function createSearchMemory(now: () => number, onLesson: OnLesson): SearchMemory {
  const callers = new Map<string, Caller>();

  function keep(caller: string, state: Caller): void {
    callers.delete(caller);
    callers.set(caller, state);
    const [oldest] = callers.keys();
    if (callers.size > MAX_CALLERS && oldest !== undefined) callers.delete(oldest);
  }

  return {
    searched(caller, query, found) {
      const fresh = (callers.get(caller)?.searches ?? []).filter(({ at }) => now() - at <= MAX_AGE_MS);
      keep(caller, {
        searches: [...fresh, { query, found: new Set(found), at: now() }].slice(-MAX_CALLS),
        calls: 0,
      });
    },
    called(caller, entry) {
      const known = callers.get(caller);
      if (!known) return;
      keep(caller, { ...known, calls: known.calls + 1 });
      if (known.calls >= MAX_CALLS) return;
      const led = known.searches.findLast(({ found, at }) => found.has(entry) && now() - at <= MAX_AGE_MS);
      if (led) onLesson(caller, led.query, entry);
    },
  };
}

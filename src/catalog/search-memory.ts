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
const MAX_SEARCHES = 20;
const MAX_CALLERS = 1_000;

interface Searched {
  readonly query: string;
  /** By key: an entry is another object in every snapshot. */
  readonly found: ReadonlySet<string>;
  readonly at: number;
  /** How many calls its caller had made by then. */
  readonly calls: number;
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

  const isFresh = (searched: Searched, calls: number) =>
    now() - searched.at <= MAX_AGE_MS && calls - searched.calls < MAX_CALLS;

  return {
    searched(caller, query, found) {
      const { searches, calls } = callers.get(caller) ?? { searches: [], calls: 0 };
      const fresh = searches.filter((searched) => isFresh(searched, calls));
      const latest = { query, found: new Set(found.map(toKey)), at: now(), calls };
      keep(caller, { searches: [...fresh, latest].slice(-MAX_SEARCHES), calls });
    },
    called(caller, entry) {
      const known = callers.get(caller);
      if (!known) return;
      const { searches, calls } = known;
      keep(caller, { searches, calls: calls + 1 });
      const key = toKey(entry);
      const led = searches.findLast((searched) => searched.found.has(key) && isFresh(searched, calls));
      if (led) onLesson(caller, led.query, entry);
    },
  };
}

function toKey({ upstream, name }: Entry): string {
  return `${upstream}\0${name}`;
}

/** Joins the search engine to the catalogue: one index for everybody, loaded on first use, kept in step with snapshots. */
import type { Catalog, Entry, Snapshot } from './catalog.ts';
import { createLearning, type Learning, type LearningRecord } from './search/learning.ts';
import type { SearchEngine, SearchSource } from './search/search.ts';
import { createSearchMemory, type SearchMemory } from './search-memory.ts';

/** Search and what it learns. */
export interface CatalogSearch {
  readonly search: Catalog['search'];
  readonly memory: SearchMemory;
}

/** Where lessons are kept between runs, and whether any are learnt. */
export interface LessonStore {
  readonly enabled: boolean;
  readonly stored: LearningRecord;
  save(record: LearningRecord): void;
}

/** Creates the search over whatever snapshot is current when it is asked. */
export function createCatalogSearch(current: () => Snapshot, lessons: LessonStore): CatalogSearch {
  const learning = createLearning({ now: Date.now }, lessons.stored);
  const index = createIndex(current);
  let engine: SearchEngine | undefined;

  const memory = createSearchMemory(Date.now, (caller, query, entry) => {
    if (!engine || !lessons.enabled) return;
    learning.observe(toPrincipal(caller), engine.toTerms(query), toKey(entry), Date.now());
    lessons.save(learning.toJSON());
  });

  return {
    memory,
    async search(query, { limit, where, caller }) {
      engine ??= await loadEngine();
      const entries = index(engine);
      const hits = engine.search(query, {
        limit,
        where: (key) => {
          const entry = entries.get(key);
          return entry !== undefined && where(entry);
        },
        boosts: lessons.enabled ? boostsFor(caller, query, engine, learning) : NO_BOOSTS,
      });
      return hits.flatMap(({ key, score }) => {
        const entry = entries.get(key);
        return entry ? [{ entry, score }] : [];
      });
    },
  };
}

const NO_BOOSTS: ReadonlyMap<string, number> = new Map();

function boostsFor(
  caller: string,
  query: string,
  engine: SearchEngine,
  learning: Learning,
): ReadonlyMap<string, number> {
  return learning.boost(toPrincipal(caller), engine.toTerms(query));
}

/** Keeps the index equal to the current snapshot; unchanged tools cost nothing. */
function createIndex(current: () => Snapshot): (engine: SearchEngine) => ReadonlyMap<string, Entry> {
  let indexed: Snapshot | undefined;
  let entries: ReadonlyMap<string, Entry> = new Map();
  return (engine) => {
    const snapshot = current();
    if (snapshot === indexed) return entries;
    indexed = snapshot;
    const titles = new Map(snapshot.sources.map(({ upstream, title }) => [upstream, title]));
    const keyed = snapshot.list('tool').map((entry) => [toKey(entry), entry] as const);
    entries = new Map(keyed);
    engine.update(keyed.map(([key, entry]) => toSource(key, entry, titles.get(entry.upstream))));
    return entries;
  };
}

/** The engine and its word vectors are a megabyte that most starts never need. */
async function loadEngine(): Promise<SearchEngine> {
  const { createSearchEngine } = await import('./search/engine.ts');
  return createSearchEngine();
}

/** Lessons are a principal's, whatever client they were learnt with. */
function toPrincipal(caller: string): string {
  return caller.split('\0')[0] ?? caller;
}

function toKey({ upstream, name }: Entry): string {
  return `${upstream}\0${name}`;
}

function toSource(key: string, { upstream, name, definition }: Entry, title = ''): SearchSource {
  return { key, name, definition, server: { id: upstream, name: title || upstream } };
}

/** Joins the search engine to the catalogue: one index for everybody, loaded on first use, kept in step with snapshots. */
import { onceLoaded } from '../lib/once-loaded.ts';
import type { UpstreamId } from '../model/ids.ts';
import type { Catalog, Entry, FoundEntry, Snapshot, Source } from './catalog.ts';
import { isLessonOf, type LessonKeeper } from './lesson-keeper.ts';
import type { Learning } from './search/learning.ts';
import type { SearchEngine, SearchHit, SearchSource } from './search/search.ts';
import { createSearchMemory, type SearchMemory } from './search-memory.ts';

/** Search and what it learns. */
export interface CatalogSearch {
  readonly search: Catalog['search'];
  readonly ready: Catalog['searchReady'];
  readonly memory: SearchMemory;
  /** Forgets what was learnt of an upstream that is gone. */
  forget(upstream: UpstreamId): void;
}

/** Creates the search over whatever snapshot is current when it is asked. */
export function createCatalogSearch(current: () => Snapshot, lessons: LessonKeeper): CatalogSearch {
  const index = createIndex(current);
  const open = onceLoaded(() => load(lessons));
  let loaded: Loaded | undefined;

  const memory = createSearchMemory(Date.now, (caller, query, entry) => {
    if (!loaded || !lessons.enabled) return;
    const { engine, learning } = loaded;
    learning.observe(toPrincipal(caller), engine.toTerms(query), toKey(entry), Date.now());
    lessons.save(() => learning.toJSON());
  });

  return {
    memory,
    forget(upstream) {
      if (!lessons.enabled) return;
      const forgotten = open().then(({ learning }) => {
        learning.forget((key) => isLessonOf(upstream, key));
        lessons.save(() => learning.toJSON());
      });
      // Whoever searches next is told when search cannot be loaded.
      forgotten.catch(() => {});
    },
    async ready() {
      const { engine } = await open();
      index(engine);
      await engine.settled();
    },
    async search(query, { limit, where, caller }) {
      loaded = await open();
      const { engine, learning } = loaded;
      const entries = index(engine);
      const hits = engine.search(query, {
        limit,
        where: (key) => {
          const entry = entries.get(key);
          return entry !== undefined && where(entry);
        },
        boosts: lessons.enabled ? learning.boost(toPrincipal(caller), engine.toTerms(query)) : NO_BOOSTS,
      });
      return hits.flatMap((hit) => toFound(hit, entries));
    },
  };
}

const NO_BOOSTS: ReadonlyMap<string, number> = new Map();

function toFound(hit: SearchHit, entries: ReadonlyMap<string, Entry>): FoundEntry[] {
  const entry = entries.get(hit.key);
  return entry ? [{ entry, score: hit.score, explain: () => hit.explain() }] : [];
}

/** Keeps the index equal to the current snapshot; unchanged tools cost nothing. */
function createIndex(current: () => Snapshot): (engine: SearchEngine) => ReadonlyMap<string, Entry> {
  let indexed: Snapshot | undefined;
  let entries: ReadonlyMap<string, Entry> = new Map();
  return (engine) => {
    const snapshot = current();
    if (snapshot === indexed) return entries;
    indexed = snapshot;
    const names = new Map(snapshot.sources.map((source) => [source.upstream, toServerName(source)]));
    const keyed = snapshot.list('tool').map((entry) => [toKey(entry), entry] as const);
    entries = new Map(keyed);
    engine.update(keyed.map(([key, entry]) => toSource(key, entry, names.get(entry.upstream))));
    return entries;
  };
}

/** What a first search brings in: a megabyte that most starts never need. */
interface Loaded {
  readonly engine: SearchEngine;
  readonly learning: Learning;
}

async function load(lessons: LessonKeeper): Promise<Loaded> {
  const [{ createSearchEngine }, { createLearning }, stored] = await Promise.all([
    import('./search/engine.ts'),
    import('./search/learning.ts'),
    lessons.load(),
  ]);
  return { engine: createSearchEngine(), learning: createLearning({ now: Date.now }, stored) };
}

/** Lessons are a principal's, whatever client they were learnt with. */
function toPrincipal(caller: string): string {
  return caller.split('\0')[0] ?? caller;
}

function toKey({ upstream, name }: Entry): string {
  return `${upstream}\0${name}`;
}

function toSource(key: string, { upstream, name, definition }: Entry, serverName = ''): SearchSource {
  return { key, name, definition, server: { id: upstream, name: serverName || upstream } };
}

/** What people called it and what it calls itself; its id may be cut or carry a digest, which are no words. */
function toServerName({ title, manifest }: Source): string {
  const own = manifest.hello.serverInfo['title'];
  return typeof own === 'string' ? `${title} ${own}` : title;
}

/** Follows the upstreams: a learnt or changed manifest makes a new snapshot, storms make one. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { Feed, Unsubscribe } from '../events/feed.ts';
import { type CancelTimer, type Clock, systemClock } from '../lib/clock.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { UpstreamId } from '../model/ids.ts';
import { FIRST_CONTACT_WAIT_MS } from '../upstream/limits.ts';
import type { Upstream, UpstreamConfig, Upstreams } from '../upstream/upstream.ts';
import { type OnCalled, watchCall } from './called-tool.ts';
import type { Catalog, Snapshot, Source } from './catalog.ts';
import { createCatalogSearch } from './catalog-search.ts';
import type { LessonKeeper } from './lesson-keeper.ts';
import type { NamingRules } from './naming.ts';
import { createPublish, createSnapshot, type Publish } from './snapshot.ts';
import { toStanding } from './standing.ts';
import { createTaskOwners } from './task-owners.ts';

/** What a catalogue needs. */
export interface CatalogParts {
  readonly upstreams: Upstreams;
  /** The rules in force; read whenever a snapshot is made. */
  readonly names: () => NamingRules;
  readonly feed: Feed;
  readonly clock?: Clock;
  /** Hears of every call of a tool when it is over. */
  readonly onCalled?: OnCalled;
  /** Where search keeps what it learns; nothing is learnt without it. */
  readonly lessons?: LessonKeeper;
}

const NO_LESSONS: LessonKeeper = {
  enabled: false,
  load: async () => ({}),
  save() {},
  async [Symbol.asyncDispose]() {},
};

/** News within this time is told once. */
const COALESCE_MS = 150;

/** Opens the catalogue over a set of upstreams. */
export function openCatalog(parts: CatalogParts): Catalog & Disposable {
  const { upstreams, names, feed, clock = systemClock } = parts;
  const listeners = new Set<() => void>();
  /** By upstream, so that one that is gone takes its snapshot along. */
  const alone = new WeakMap<Upstream, { config: UpstreamConfig; source: Source; snapshot: Snapshot }>();
  const publish = createPublish();
  let current = toSnapshot(upstreams, names(), publish);
  let stale = false;
  let cancelNews: CancelTimer | undefined;
  const finder = createCatalogSearch(refresh, parts.lessons ?? NO_LESSONS);
  const met = new WeakSet<Upstream>();
  const awaited = new Map<Upstream, Promise<void>>();

  /** Each upstream is waited for once, from when it appeared: one that never answers delays only the first lists. */
  function awaitNewcomers(): void {
    for (const upstream of upstreams.all) {
      if (met.has(upstream)) continue;
      met.add(upstream);
      if (upstream.manifest || !upstream.config.enabled) continue;
      awaited.set(
        upstream,
        firstContact(upstream, clock).then(() => void awaited.delete(upstream)),
      );
    }
  }

  function tell(): void {
    cancelNews = undefined;
    const snapshot = refresh();
    reported = reportRenamed(snapshot, reported, feed);
    feed.publish({ type: 'catalog.changed', tools: snapshot.list('tool').length });
    for (const listener of [...listeners]) listener();
  }

  /** A request that comes between a change and its announcement already sees the new state. */
  function refresh(): Snapshot {
    if (stale) {
      stale = false;
      current = toSnapshot(upstreams, names(), publish);
    }
    return current;
  }

  let reported = reportRenamed(current, new Set(), feed);
  function reach(id: UpstreamId): Upstream {
    const upstream = upstreams.get(id);
    if (upstream) return upstream;
    throw toGoneError(id, upstreams);
  }

  awaitNewcomers();
  let ids = toIds(upstreams);
  function forgetLeavers(): void {
    const before = ids;
    ids = toIds(upstreams);
    for (const id of before) if (!ids.has(id)) finder.forget(id);
  }

  function onNews(): void {
    stale = true;
    awaitNewcomers();
    forgetLeavers();
    cancelNews ??= clock.after(COALESCE_MS, tell);
  }

  const unsubscribe = upstreams.onManifests(onNews);

  return {
    get current() {
      return refresh();
    },
    only(id) {
      const upstream = upstreams.get(id);
      if (!upstream?.config.enabled) return undefined;
      const known = alone.get(upstream);
      if (known && known.config === upstream.config && known.source.manifest === upstream.manifest)
        return known.snapshot;
      const source = toSource(upstream);
      const snapshot = createSnapshot(source ? [source] : [], { ...names(), untouched: true });
      if (source) alone.set(upstream, { config: upstream.config, source, snapshot });
      return snapshot;
    },
    request(id, method, params, call) {
      const answer = reach(id).request(method, params, call);
      if (method !== 'tools/call' || !parts.onCalled) return answer;
      const { principal } = call;
      const tool = String(params['name']);
      return watchCall(answer, { principal, upstream: id, tool }, clock, parts.onCalled);
    },
    notify: (id, method, params, call) => reach(id).notify(method, params, call),
    watch: (id, uri, call) => reach(id).watch(uri, call),
    async search(query, options) {
      // What is found should not depend on how quickly a server just added answers.
      await Promise.all(awaited.values());
      return finder.search(query, options);
    },
    searchReady: finder.ready,
    searchMemory: finder.memory,
    unmet: () =>
      upstreams.all
        .filter(({ config, manifest }) => config.enabled && !manifest)
        .map(({ config }) => ({ upstream: config.id, title: config.name, tags: config.tags }))
        .sort((a, b) => (a.upstream < b.upstream ? -1 : 1)),
    standing: (id) => toStanding(upstreams.get(id)),
    renamed: onNews,
    tasks: createTaskOwners(),
    onNotification: (listener) => upstreams.onNotification(listener),
    get settling() {
      return awaited.size > 0;
    },
    settled: async () => void (await Promise.all(awaited.values())),
    onChange(listener): Unsubscribe {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    [Symbol.dispose]() {
      unsubscribe();
      cancelNews?.();
      listeners.clear();
    },
  };
}

function toIds({ all }: Upstreams): ReadonlySet<UpstreamId> {
  return new Set(all.map(({ config }) => config.id));
}

function toSnapshot(upstreams: Upstreams, names: NamingRules, publish: Publish): Snapshot {
  const enabled = upstreams.all.filter((upstream) => upstream.config.enabled);
  const sources = enabled.map(toSource).filter((source) => source !== undefined);
  return createSnapshot(sources, { ...names, untouched: enabled.length === 1 }, publish);
}

function toSource(upstream: Upstream): Source | undefined {
  const { config, manifest } = upstream;
  const { id, name, tags, core = false, aside, disabledTools } = config;
  return manifest && { upstream: id, title: name, tags, core, aside, disabledTools, manifest };
}

/**
 * A name that could not stand as it is may be an accident or an attempt to pass for another tool: people are told.
 * Answers with the names that are known of now.
 */
function reportRenamed(snapshot: Snapshot, known: ReadonlySet<string>, feed: Feed): ReadonlySet<string> {
  const all = snapshot.list('tool').filter(({ renamed }) => renamed);
  const fresh = all.filter(({ publicName }) => !known.has(publicName));
  for (const entries of groupBy(fresh, ({ upstream, renamed }) => `${upstream} ${renamed}`).values()) {
    const [{ upstream, renamed: reason } = {}] = entries;
    if (upstream && reason) feed.publish({ type: 'names.changed', upstream, reason, names: entries });
  }
  return new Set(all.map(({ publicName }) => publicName));
}

function groupBy<T>(items: readonly T[], toKey: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(toKey(item));
    if (group) group.push(item);
    else groups.set(toKey(item), [item]);
  }
  return groups;
}

function firstContact(upstream: Upstream, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(FIRST_CONTACT_WAIT_MS, resolve);
    void upstream.firstContact.then(() => {
      cancel();
      resolve();
    });
  });
}

function toGoneError(id: UpstreamId, upstreams: Upstreams): GatewayError {
  const known = upstreams.all.map((upstream) => upstream.config.id);
  const text = `upstream "${id}" is no longer configured${didYouMean(id, known)}; list the tools again`;
  return new GatewayError('UPSTREAM_UNAVAILABLE', text, { data: { upstream: id } });
}

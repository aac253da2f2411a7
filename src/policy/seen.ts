/** What the policies leave of a snapshot for those who are alike to them: worked out once, gone with the snapshot. */
import type { Entry, Snapshot, Source } from '../catalog/catalog.ts';
import type { GatewayError } from '../errors/gateway-error.ts';
import type { Kind } from '../model/manifest.ts';
import type { EntryNames, Policy, Who } from './policy.ts';

/** What somebody sees of a snapshot. */
export interface Seen {
  /** What exists for them and is not refused. */
  readonly names: EntryNames;
  /** What exists for them and is refused. */
  readonly refused: EntryNames;
  sees(entry: Entry): boolean;
  /** What is said to who uses an entry that exists for them and is refused. */
  refusalOf(entry: Entry): GatewayError | undefined;
  /** The visible upstreams, sorted by id. */
  upstreams(): readonly Source[];
  /** The visible tools of an upstream. */
  toolsOf(upstream: string): readonly Entry[];
  /** An entry that stands for its whole upstream; undefined where nothing of that is visible. */
  standIn(upstream: string): Entry | undefined;
}

/** Finds what was worked out for the same policies and somebody alike, or begins to. */
export function findSeen(snapshot: Snapshot, policies: readonly Policy[], who: Who): Seen {
  return snapshot.derived(policies, toWhoKey(who), () => createSeen(snapshot, policies, who));
}

/** Everything that policies may decide by. */
function toWhoKey({ principal, profile }: Who): string {
  return `${principal.owner === true ? 'owner' : ''}\0${principal.id}\0${profile ?? ''}`;
}

function createSeen(snapshot: Snapshot, policies: readonly Policy[], who: Who): Seen {
  const exists = (entry: Entry) => policies.every((policy) => policy.sees?.(entry, who) ?? true);
  const toRefusal = (entry: Entry) => firstRefusal(entry, policies, who);
  const sees = (entry: Entry) => exists(entry) && toRefusal(entry) === undefined;
  const names = toNames(snapshot, sees);
  const tools = onDemand(() => groupByUpstream(names.list('tool')));
  const standIns = onDemand(() => toStandIns(names));
  const upstreams = onDemand(() => snapshot.sources.filter(({ upstream }) => standIns().has(upstream)));
  return {
    names,
    refused: toNames(snapshot, (entry) => exists(entry) && toRefusal(entry) !== undefined),
    sees,
    refusalOf: (entry) => (exists(entry) ? toRefusal(entry) : undefined),
    upstreams,
    toolsOf: (upstream) => tools().get(upstream) ?? [],
    standIn: (upstream) => standIns().get(upstream),
  };
}

/** The first policy that refuses an entry decides what is said. */
function firstRefusal(entry: Entry, policies: readonly Policy[], who: Who): GatewayError | undefined {
  for (const policy of policies) {
    const refusal = policy.refuses?.(entry, who);
    if (refusal) return refusal;
  }
  return undefined;
}

/** The ways to those entries of a snapshot that pass. */
function toNames(snapshot: Snapshot, passes: (entry: Entry) => boolean): EntryNames {
  const lists = new Map<Kind, readonly Entry[]>();
  const check = (entry: Entry | undefined) => (entry && passes(entry) ? entry : undefined);
  return {
    list(kind) {
      const known = lists.get(kind);
      if (known) return known;
      const list = snapshot.list(kind).filter(passes);
      lists.set(kind, list);
      return list;
    },
    find: (kind, publicName) => check(snapshot.find(kind, publicName)),
    locate: (kind, upstream, name) => check(snapshot.locate(kind, upstream, name)),
    named: (kind, name) => snapshot.named(kind, name).filter(passes),
  };
}

/** The kinds that make an upstream visible. */
const OFFERED: readonly Kind[] = ['template', 'resource', 'tool'];

function toStandIns(names: EntryNames): ReadonlyMap<string, Entry> {
  const standIns = new Map<string, Entry>();
  for (const kind of OFFERED)
    for (const entry of names.list(kind))
      if (!standIns.has(entry.upstream)) standIns.set(entry.upstream, entry);
  return standIns;
}

function groupByUpstream(entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.upstream);
    if (group) group.push(entry);
    else groups.set(entry.upstream, [entry]);
  }
  return groups;
}

function onDemand<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

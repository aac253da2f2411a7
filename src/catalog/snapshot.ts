/** Builds the immutable snapshot: entries of every kind with their public names, and the look-ups over them. */
import { toDigest, type UpstreamId } from '../model/ids.ts';
import { toCanonicalJson } from '../model/json.ts';
import { ALL_KINDS, KINDS } from '../model/kinds.ts';
import type { Kind } from '../model/manifest.ts';
import type { Definition } from '../model/mcp.ts';
import type { Entry, Snapshot, Source } from './catalog.ts';
import { assignNames, type NamingRules, type OwnName, type PublicName, type RenameReason } from './naming.ts';
import { createUriTable, type UriTable } from './uris.ts';

/** How public names are made; `untouched` leaves every name as its upstream wrote it. */
export interface SnapshotRules extends NamingRules {
  readonly untouched: boolean;
}

/** Makes a definition as clients see it: under its public name, with public URIs. */
export type Publish = (definition: Definition, own: PublicDefinition) => Definition;

interface PublicDefinition {
  readonly idKey: string;
  readonly publicName: string;
  /** The definition with its URIs replaced: itself where none had to be. */
  readonly mapped: Definition;
}

/** Creates a publisher that makes what it made last again the same object, so that whoever worked it out need not again. */
export function createPublish(): Publish {
  const made = new WeakMap<Definition, { readonly key: string; readonly definition: Definition }>();
  return (definition, { idKey, publicName, mapped }) => {
    if (mapped === definition && String(definition[idKey]) === publicName) return definition;
    const key = mapped === definition ? publicName : `${publicName}\0${JSON.stringify(mapped)}`;
    const last = made.get(definition);
    if (last?.key === key) return last.definition;
    const fresh = { ...mapped, [idKey]: publicName };
    made.set(definition, { key, definition: fresh });
    return fresh;
  };
}

/** Builds a snapshot; equal sources give equal snapshots, in whatever order they come. */
export function createSnapshot(
  sources: readonly Source[],
  rules: SnapshotRules,
  publish: Publish = createPublish(),
): Snapshot {
  const sorted = [...sources].sort((a, b) => (a.upstream < b.upstream ? -1 : 1));
  const uris = createUriTable(rules.untouched ? [] : sorted);
  const lists = new Map(ALL_KINDS.map((kind) => [kind, toEntries(kind, sorted, rules, uris, publish)]));
  const byName = new Map(
    [...lists].map(([kind, entries]) => [kind, new Map(entries.map((entry) => [entry.publicName, entry]))]),
  );
  const byOwn = onDemand(
    (kind) => new Map(lists.get(kind)?.map((entry) => [toKey(entry.upstream, entry.name), entry])),
  );
  const byOwnName = onDemand((kind) => groupByName(lists.get(kind) ?? []));
  const bySource = new Map<UpstreamId, Source>(sorted.map((source) => [source.upstream, source]));
  const owners = rules.untouched ? createUriTable(sorted) : uris;
  return {
    sources: sorted,
    list: (kind) => lists.get(kind) ?? [],
    find: (kind, publicName) => byName.get(kind)?.get(publicName),
    locate: (kind, upstream, name) => byOwn(kind).get(toKey(upstream, name)),
    named: (kind, name) => byOwnName(kind).get(name) ?? [],
    ownerOf: owners.ownerOf,
    toPublicUris: uris.mapFields,
    hello: (upstream) => bySource.get(upstream)?.manifest.hello,
    derived: createDerived(),
  };
}

function toEntries(
  kind: Kind,
  sources: readonly Source[],
  rules: SnapshotRules,
  uris: UriTable,
  publish: Publish,
): Entry[] {
  const { idKey } = KINDS[kind];
  const owned = sources.flatMap((source) =>
    source.manifest.lists[kind].map((definition) => ({
      source,
      definition,
      name: String(definition[idKey]),
    })),
  );
  const names = toPublicNames(
    kind,
    owned.map(({ source, name }) => ({ upstream: source.upstream, name })),
    rules,
    uris,
  );
  const entries = owned.map(({ source, definition, name }) => {
    const named = names.get(toKey(source.upstream, name));
    const publicName = named?.publicName ?? name;
    const mapped = uris.mapFields(source.upstream, definition);
    const shown = publish(definition, { idKey, publicName, mapped });
    return new CatalogEntry(kind, source, name, shown, publicName, named?.renamed);
  });
  return entries.sort(byUpstreamAndName);
}

function toPublicNames(
  kind: Kind,
  own: readonly OwnName[],
  rules: SnapshotRules,
  uris: UriTable,
): Map<string, PublicName> {
  const named = rules.untouched
    ? own.map((name) => ({ ...name, publicName: name.name, renamed: undefined }))
    : KINDS[kind].idKey === 'name'
      ? assignNames(own, rules)
      : own.map((name) => toPublicUri(name, uris));
  return new Map(named.map((name) => [toKey(name.upstream, name.name), name]));
}

function toPublicUri(own: OwnName, uris: UriTable): PublicName {
  const publicName = uris.toPublic(own.upstream, own.name);
  return { ...own, publicName, renamed: publicName === own.name ? undefined : 'clash' };
}

/** Builds a look-up for a kind when it is first needed: most starts never need it. */
function onDemand<T>(build: (kind: Kind) => T): (kind: Kind) => T {
  const built = new Map<Kind, T>();
  return (kind) => {
    const known = built.get(kind);
    if (known !== undefined) return known;
    const fresh = build(kind);
    built.set(kind, fresh);
    return fresh;
  };
}

/** As many kinds of callers as are commonly about at a time. */
const MAX_DERIVED = 64;

function createDerived(): Snapshot['derived'] {
  const owners = new WeakMap<object, Map<string, unknown>>();
  return <T>(owner: object, name: string, make: () => T): T => {
    const made = owners.get(owner) ?? new Map<string, unknown>();
    if (!owners.has(owner)) owners.set(owner, made);
    // Whoever knows owner and name made what is under them.
    if (made.has(name)) return made.get(name) as T;
    const [oldest] = made.keys();
    if (made.size >= MAX_DERIVED && oldest !== undefined) made.delete(oldest);
    const value = make();
    made.set(name, value);
    return value;
  };
}

function groupByName(entries: readonly Entry[]): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.name);
    if (group) group.push(entry);
    else groups.set(entry.name, [entry]);
  }
  return groups;
}

function toKey(upstream: string, name: string): string {
  return `${upstream}\0${name}`;
}

function byUpstreamAndName(a: Entry, b: Entry): number {
  if (a.upstream !== b.upstream) return a.upstream < b.upstream ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

class CatalogEntry implements Entry {
  readonly kind: Kind;
  readonly upstream: UpstreamId;
  readonly tags: readonly string[];
  readonly name: string;
  readonly publicName: string;
  readonly switchedOff: boolean;
  readonly renamed: RenameReason | undefined;
  readonly definition: Definition;
  #fingerprint: string | undefined;

  constructor(
    kind: Kind,
    source: Source,
    name: string,
    definition: Definition,
    publicName: string,
    renamed: RenameReason | undefined,
  ) {
    this.kind = kind;
    this.upstream = source.upstream;
    this.tags = source.tags;
    this.name = name;
    this.publicName = publicName;
    this.renamed = renamed;
    this.switchedOff = kind === 'tool' && (source.disabledTools?.includes(name) ?? false);
    this.definition = definition;
  }

  /** Worked out on first use: a start must not hash thousands of definitions nobody asked about. */
  get fingerprint(): string {
    this.#fingerprint ??= toDigest(toCanonicalJson(this.definition), 32);
    return this.#fingerprint;
  }
}

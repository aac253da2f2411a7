/** What a client is shown: groups and the tools that stay, with names nobody else has, worked out once for what can be seen. */
import type { Entry } from '../../catalog/catalog.ts';
import { toDigest } from '../../model/ids.ts';
import type { Definition } from '../../model/mcp.ts';
import type { TokenCount } from '../ports.ts';
import { type Fold, foldTools } from './fold.ts';
import type { Member } from './group-definition.ts';
import type { GroupWishes } from './group-names.ts';

/** A group as it is shown. */
export interface Group {
  readonly name: string;
  readonly upstream: string;
  readonly members: readonly Member[];
  /** What its tools are about. */
  readonly noun: string;
}

/** Everything shown at one moment. */
export interface NounSurface {
  readonly definitions: readonly Definition[];
  readonly groups: ReadonlyMap<string, Group>;
  /** Where a folded tool went, by its public name. */
  readonly folded: ReadonlyMap<string, { readonly group: Group; readonly action: string }>;
}

/** What surfaces are made with. */
export interface SurfaceParts {
  readonly namespace: string;
  readonly wishes: Readonly<Record<string, GroupWishes>>;
  /** Whether what servers say of parameters and actions is left out. */
  readonly brief: boolean;
  /** The longest name a group may have. */
  readonly maxName: number;
  readonly tokens: TokenCount;
}

/** Folds the tools of one server. */
export type FoldServer = (entries: readonly Entry[], wishes: GroupWishes) => Promise<readonly Fold[]>;

/** Builds the surface over the visible tools; equal sets give equal surfaces. */
export async function createSurface(
  entries: readonly Entry[],
  parts: SurfaceParts,
  fold: FoldServer = (own, wishes) => foldTools(own, wishes, parts),
): Promise<NounSurface> {
  const definitions: Definition[] = [];
  const groups = new Map<string, Group>();
  const folded = new Map<string, { group: Group; action: string }>();
  const isTaken = toTaken(entries, groups, parts.namespace);
  for (const [upstream, own] of byUpstream(entries)) {
    const folds = await fold(own, wishesOf(parts, upstream));
    const shown = folds.map((fold) => {
      const { noun, members } = fold;
      const group = { name: toName(fold, upstream, parts.maxName, isTaken), noun, upstream, members };
      groups.set(group.name, group);
      for (const { entry, action } of fold.members) folded.set(entry.publicName, { group, action });
      return { ...fold.definition, name: group.name };
    });
    const kept = own.filter(({ publicName }) => !folded.has(publicName)).map(({ definition }) => definition);
    definitions.push(...[...shown, ...kept].sort(byName));
  }
  return { definitions, groups, folded };
}

const NO_WISHES: GroupWishes = {};

function wishesOf({ wishes }: SurfaceParts, upstream: string): GroupWishes {
  return Object.hasOwn(wishes, upstream) ? (wishes[upstream] ?? NO_WISHES) : NO_WISHES;
}

function byUpstream(entries: readonly Entry[]): Map<string, Entry[]> {
  const upstreams = new Map<string, Entry[]>();
  for (const entry of entries) {
    const own = upstreams.get(entry.upstream);
    if (own) own.push(entry);
    else upstreams.set(entry.upstream, [entry]);
  }
  return upstreams;
}

/** Names a group must not have: those of tools, however they are spelt, of other groups, and the gateway's own. */
function toTaken(
  entries: readonly Entry[],
  groups: ReadonlyMap<string, Group>,
  namespace: string,
): (name: string) => boolean {
  const spelt = new Set(
    entries.flatMap(({ upstream, name, publicName }) => [publicName, name, `${upstream}_${name}`]),
  );
  return (name) => spelt.has(name) || groups.has(name) || name.startsWith(`${namespace}_`);
}

function toName(
  { wished, noun }: Fold,
  upstream: string,
  maxName: number,
  isTaken: (name: string) => boolean,
): string {
  const plain = wished.normalize('NFKC').replace(/[^A-Za-z0-9_-]+/g, '_');
  if (plain === wished && plain.length <= maxName && !isTaken(plain)) return plain;
  for (let salt = 0; ; salt++) {
    const digest = toDigest(`${upstream}\0${noun}\0${salt || ''}`);
    // The digest goes first where the beginning is what is taken: the gateway's own prefix.
    const candidates = [
      `${plain.slice(0, maxName - digest.length - 1)}_${digest}`,
      `g${digest}_${plain}`.slice(0, maxName),
    ];
    const free = candidates.find((candidate) => !isTaken(candidate));
    if (free !== undefined) return free;
  }
}

function byName(a: Definition, b: Definition): number {
  return String(a['name']) < String(b['name']) ? -1 : 1;
}

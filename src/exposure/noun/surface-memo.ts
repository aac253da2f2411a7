/** Keeps the surfaces worked out last, so that neither a list nor a call works them out again. */
import { setImmediate } from 'node:timers/promises';
import type { Entry } from '../../catalog/catalog.ts';
import { type Fold, foldTools } from './fold.ts';
import type { GroupWishes } from './group-names.ts';
import { createSurface, type NounSurface, type SurfaceParts } from './surface.ts';

/** Hands out surfaces. */
export interface SurfaceMemo {
  /** The surface over these tools, worked out at most once while they stay the same. */
  get(entries: readonly Entry[], parts: SurfaceParts): Promise<NounSurface>;
}

/** As many different views as are commonly in use at a time: one a profile or an endpoint. */
const MAX_SURFACES = 16;
/** As many servers, each as one view sees it. */
const MAX_FOLDS = 512;

/** Creates an empty memo. */
export function createSurfaceMemo(): SurfaceMemo {
  const surfaces = createRecent<NounSurface>(MAX_SURFACES);
  const folds = createRecent<readonly Fold[]>(MAX_FOLDS);
  return {
    get(entries, parts) {
      // A change of one server leaves what was folded of the others.
      const fold = (own: readonly Entry[], wishes: GroupWishes) =>
        folds.get(own, [wishes, parts.brief], async () => {
          // Server by server, so that nobody else waits for all of them.
          await setImmediate();
          return foldTools(own, wishes, parts);
        });
      const { wishes, namespace, brief, maxName } = parts;
      return surfaces.get(entries, [wishes, namespace, brief, maxName], () =>
        createSurface(entries, parts, fold),
      );
    },
  };
}

interface Kept<Value> {
  readonly entries: readonly Entry[];
  /** What else it was made from. */
  readonly from: readonly unknown[];
  readonly value: Promise<Value>;
}

/** What was made last from lists of tools, the newest first. */
function createRecent<Value>(limit: number) {
  let kept: readonly Kept<Value>[] = [];
  return {
    get(entries: readonly Entry[], from: readonly unknown[], make: () => Promise<Value>): Promise<Value> {
      const known = kept.find(
        (each) => each.from.every((part, at) => part === from[at]) && isSame(each.entries, entries),
      );
      if (known && known === kept[0]) return known.value;
      const used = known ?? { entries, from, value: make() };
      kept = [used, ...kept.filter((each) => each !== used)].slice(0, limit);
      // A failure is not kept: the next one who asks tries again.
      if (!known)
        used.value.catch(() => {
          kept = kept.filter((each) => each !== used);
        });
      return used.value;
    },
  };
}

function isSame(kept: readonly Entry[], entries: readonly Entry[]): boolean {
  return kept.length === entries.length && kept.every((entry, at) => isSameTool(entry, entries[at]));
}

/** A new snapshot has new entries; most of their definitions are the ones it had before. */
function isSameTool(a: Entry, b: Entry | undefined): boolean {
  return (
    a === b ||
    (b !== undefined &&
      a.definition === b.definition &&
      a.publicName === b.publicName &&
      a.name === b.name &&
      a.upstream === b.upstream)
  );
}

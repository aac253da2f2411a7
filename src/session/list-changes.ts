/** Tells conversations which of their lists changed, once per change however many were caused by one event. */
import type { Catalog } from '../catalog/catalog.ts';
import type { Unsubscribe } from '../events/feed.ts';
import type { CallContext } from '../model/call.ts';
import { ALL_KINDS, KINDS } from '../model/kinds.ts';
import type { Kind } from '../model/manifest.ts';
import type { Definition } from '../model/mcp.ts';
import type { Surface } from './surface.ts';

type Shown = ReadonlyMap<Kind, readonly Definition[]>;

/** Calls the listener with each list-changed notification that a surface's client should hear. */
export function onListChanges(
  catalog: Catalog,
  surface: Surface,
  context: CallContext,
  tell: (notification: string) => void,
): Unsubscribe {
  let ended = false;
  let last = look(surface, context);
  const compare = () => {
    last = last.then(async (before) => {
      const now = await look(surface, context);
      const changed = ALL_KINDS.filter((kind) => !isSame(now.get(kind) ?? [], before.get(kind) ?? []));
      const notifications = new Set(changed.map((kind) => KINDS[kind].changed));
      if (!ended) for (const notification of notifications) tell(notification);
      return now;
    });
  };
  // A client of the default mode may be answered by another one now, which this surface cannot see.
  const retell = () => {
    tell(KINDS.tool.changed);
    last = look(surface, context);
  };
  const stops = [
    catalog.onChange(compare),
    surface.onStateChange(context, compare),
    surface.onExposureChange(retell),
  ];
  return () => {
    ended = true;
    for (const stop of stops) stop();
  };
}

async function look(surface: Surface, context: CallContext): Promise<Shown> {
  const lists = await Promise.all(
    ALL_KINDS.map(async (kind) => {
      try {
        return [kind, await surface.shown(kind, context)] as const;
      } catch {
        // A surface whose upstream was removed shows nothing, which is news as well.
        return [kind, []] as const;
      }
    }),
  );
  return new Map(lists);
}

/** Definitions are shared between snapshots, so that almost every comparison ends at identity. */
function isSame(a: readonly Definition[], b: readonly Definition[]): boolean {
  return (
    a.length === b.length &&
    a.every((shown, index) => shown === b[index] || toText(shown) === toText(b[index]))
  );
}

function toText(definition: Definition | undefined): string | undefined {
  return JSON.stringify(definition);
}

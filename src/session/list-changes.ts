/** Tells conversations which of their lists changed, once per change however many were caused by one event. */
import type { Catalog } from '../catalog/catalog.ts';
import type { Unsubscribe } from '../events/feed.ts';
import type { CallContext } from '../model/call.ts';
import { ALL_KINDS, KINDS } from '../model/kinds.ts';
import type { Definition } from '../model/mcp.ts';
import type { Surface } from './surface.ts';

/** Calls the listener with each list-changed notification that a surface's client should hear. */
export function onListChanges(
  catalog: Catalog,
  surface: Surface,
  context: CallContext,
  tell: (notification: string) => void,
): Unsubscribe {
  const look = () => new Map(ALL_KINDS.map((kind) => [kind, safely(() => surface.shown(kind, context))]));
  let last = look();
  return catalog.onChange(() => {
    const now = look();
    const changed = ALL_KINDS.filter((kind) => !isSame(now.get(kind) ?? [], last.get(kind) ?? []));
    last = now;
    for (const notification of new Set(changed.map((kind) => KINDS[kind].changed))) tell(notification);
  });
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

/** A surface whose upstream was removed shows nothing, which is news as well. */
function safely(show: () => readonly Definition[]): readonly Definition[] {
  try {
    return show();
  } catch {
    return [];
  }
}

/** Keeps layouts for as long as the list of tools they were made from: one a snapshot, a kind of viewer and a budget. */
import type { Entry } from '../../catalog/catalog.ts';
import type { Layout } from './layout.ts';

/** The layout kept for a list under a key, or the one that is made now. */
export type LayoutMemo = (
  entries: readonly Entry[],
  key: string,
  make: () => Promise<Layout>,
) => Promise<Layout>;

/** Creates an empty memo; it holds no list of tools that nobody else holds. */
export function createLayoutMemo(): LayoutMemo {
  const lists = new WeakMap<readonly Entry[], Map<string, Promise<Layout>>>();
  return (entries, key, make) => {
    const layouts = lists.get(entries) ?? new Map<string, Promise<Layout>>();
    lists.set(entries, layouts);
    const known = layouts.get(key);
    if (known) return known;
    const layout = make();
    layouts.set(key, layout);
    // A failure is not kept: the next one who asks tries again.
    layout.catch(() => layouts.delete(key));
    return layout;
  };
}

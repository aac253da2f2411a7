/** The resources one conversation watches, and the updates it is told of them. */
import type { Catalog } from '../catalog/catalog.ts';
import type { JsonObject } from '../model/json.ts';
import type { CatalogView, WatchedResource } from '../policy/policy.ts';

/** Watched resources of one conversation. */
export interface WatchedResources {
  add(uri: string, view: CatalogView): Promise<void>;
  remove(uri: string): void;
  close(): void;
}

const UPDATED = 'notifications/resources/updated';

/** Creates an empty set; `tell` is called with each update, under the URI the client knows. */
export function openWatchedResources(
  catalog: Catalog,
  tell: (method: string, params: JsonObject) => void,
): WatchedResources {
  const watched = new Map<string, WatchedResource>();
  const opening = new Map<string, Promise<void>>();
  let closed = false;
  const unsubscribe = catalog.onNotification((upstream, method, params) => {
    if (method !== UPDATED) return;
    for (const [publicUri, resource] of watched) {
      if (resource.upstream !== upstream || !isWithin(String(params['uri']), resource.uri)) continue;
      tell(UPDATED, { ...params, uri: publicUri });
    }
  });

  function keep(uri: string, resource: WatchedResource): void {
    if (closed) resource.stop();
    else watched.set(uri, resource);
  }

  function remove(uri: string): void {
    watched.get(uri)?.stop();
    watched.delete(uri);
  }

  return {
    async add(uri, view) {
      if (watched.has(uri) || closed) return;
      // Asked for twice at once it is still watched once, and let go of once.
      const asking = opening.get(uri) ?? view.watch(uri).then((resource) => keep(uri, resource));
      opening.set(uri, asking);
      try {
        await asking;
      } finally {
        opening.delete(uri);
      }
    },
    remove,
    close() {
      closed = true;
      unsubscribe();
      for (const uri of [...watched.keys()]) remove(uri);
    },
  };
}

/** A server may tell of a part of what is watched. */
function isWithin(updated: string, watched: string): boolean {
  return updated === watched || updated.startsWith(watched.endsWith('/') ? watched : `${watched}/`);
}

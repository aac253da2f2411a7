/** Something made when it is first needed and kept from then on; a failure is told and not kept. */

/** Wraps a loader: it runs once, unless it fails, in which case the next who asks makes it run again. */
export function onceLoaded<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    if (loaded) return loaded;
    const loading = load();
    loaded = loading;
    // What failed now (a lock, too many open files) may succeed when it is asked for again.
    loading.catch(() => {
      loaded = undefined;
    });
    return loading;
  };
}

import { describe, expect, it } from 'vitest';
import type { Catalog } from '../catalog/catalog.ts';
import type { UpstreamId } from '../model/ids.ts';
import type { CatalogView, WatchedResource } from '../policy/policy.ts';
import { openWatchedResources } from './watched-resources.ts';

function setUp() {
  let stops = 0;
  let watches = 0;
  let open = (_resource: WatchedResource) => {};
  const catalog = { onNotification: () => () => {} } as unknown as Catalog;
  const view = {
    watch() {
      watches += 1;
      return new Promise<WatchedResource>((resolve) => {
        open = resolve;
      });
    },
  } as unknown as CatalogView;
  const stop = () => {
    stops += 1;
  };
  const watched = openWatchedResources(catalog, () => {});
  const resource = { upstream: 'files' as UpstreamId, uri: 'x://1', stop };
  return { watched, view, opened: () => open(resource), counts: () => ({ watches, stops }) };
}

describe('a resource asked for twice at once', () => {
  it('is watched once and let go of once', async () => {
    const { watched, view, opened, counts } = setUp();
    const adding = [watched.add('x://1', view), watched.add('x://1', view)];
    opened();
    await Promise.all(adding);
    watched.close();
    expect(counts()).toEqual({ watches: 1, stops: 1 });
  });

  it('is let go of once also when the conversation ends before it is watched', async () => {
    const { watched, view, opened, counts } = setUp();
    const adding = [watched.add('x://1', view), watched.add('x://1', view)];
    watched.close();
    opened();
    await Promise.all(adding);
    expect(counts()).toEqual({ watches: 1, stops: 1 });
  });
});

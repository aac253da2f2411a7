/** What lets agents and programs manage a running gateway: the server `manage` and the admin API, loaded when asked for. */
import type { ManageHosting } from '../gateway.ts';
import type { House } from '../operations/house.ts';
import type { Store } from '../store/store.ts';
import type { Pages } from '../transport/http/server.ts';
import { createHouse, type HousePlace } from './house.ts';

/** Makes the server `manage` for a gateway. */
export function createManageHosting(place: HousePlace, namespace: string): ManageHosting {
  return {
    async create({ store }) {
      const { createManageServer } = await import('../admin/manage-server.ts');
      return createManageServer({ namespace, toHouse: toHouses(place, store) });
    },
    async formerNames() {
      const { toFormerNames } = await import('../admin/manage-server.ts');
      return toFormerNames(namespace);
    },
  };
}

/** Makes the admin API for a gateway that serves HTTP. */
export function createAdminPages(place: HousePlace, store: Store): Pages['answer'] {
  let api: Promise<Pages['answer']> | undefined;
  async function load(): Promise<Pages['answer']> {
    const [{ createApi }, { openToken }] = await Promise.all([
      import('../admin/api.ts'),
      import('../admin/token.ts'),
    ]);
    return createApi({ token: () => openToken(place.home), toHouse: toHouses(place, store) });
  }
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname !== '/api' && !pathname.startsWith('/api/')) return undefined;
    api ??= load();
    return (await api)(request);
  };
}

/** The store is the gateway's own, and stays open when a call is over. */
function toHouses(place: HousePlace, store: Store): (call: Pick<House, 'tell' | 'signal'>) => House {
  return (call) => createHouse(place, async () => store, call);
}

/** What lets agents and programs manage a running gateway: the server `manage` and the admin API, loaded when asked for. */
import type { ManageHosting } from '../../gateway.ts';
import type { House } from '../../operations/house.ts';
import type { Store } from '../../store/store.ts';
import type { Pages } from '../../transport/http/server.ts';
import type { HousePlace } from './house.ts';

/** Makes the server `manage` for a gateway. */
export function createManageHosting(place: HousePlace, namespace: string): ManageHosting {
  return {
    async create({ store, feed }) {
      const { createManageServer } = await import('../../admin/manage-server.ts');
      return createManageServer({
        namespace,
        toHouse: await toHouses(place, store),
        onFault: (error) => feed.publish({ type: 'fault', where: 'managing', error }),
      });
    },
    async formerNames() {
      const { toFormerNames } = await import('../../admin/manage-server.ts');
      return toFormerNames(namespace);
    },
  };
}

/** What a gateway that serves HTTP has for its owner. */
export interface OwnersDoor {
  /** The admin API. */
  readonly pages: Pages['answer'];
  /** True for an `Authorization` that holds the local token. */
  readonly isOwner: (authorization: string) => boolean;
}

/** Opens the way in for the owner: makes the local token if there is none yet. */
export async function openOwnersDoor(place: HousePlace, store: Store): Promise<OwnersDoor> {
  const { carriesToken, openToken } = await import('../../admin/token.ts');
  const token = await openToken(place.home);
  let api: Promise<Pages['answer']> | undefined;
  async function load(): Promise<Pages['answer']> {
    const { createApi } = await import('../../admin/api.ts');
    return createApi({ token, toHouse: await toHouses(place, store) });
  }
  return {
    isOwner: (authorization) => carriesToken(authorization, token),
    async pages(request) {
      const { pathname } = new URL(request.url);
      if (pathname !== '/api' && !pathname.startsWith('/api/')) return undefined;
      api ??= load();
      return (await api)(request);
    },
  };
}

/** The store is the gateway's own, and stays open when a call is over. */
async function toHouses(
  place: HousePlace,
  store: Store,
): Promise<(call: Pick<House, 'tell' | 'signal'>) => House> {
  const { createHouse } = await import('./house.ts');
  return (call) => createHouse(place, async () => store, call);
}

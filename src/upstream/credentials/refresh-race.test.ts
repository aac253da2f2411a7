import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createAgreeable,
  type FakeAuthorization,
  type FakeResource,
  startAuthorization,
  startResource,
} from '../../../test/support/authorization-server.ts';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { UpstreamId } from '../../model/ids.ts';
import { createMemoryStore } from '../../store/memory-store.ts';
import type { CredentialStore } from '../../store/store.ts';
import { DEFAULT_AUTH } from './auth-options.ts';
import type { Credentials } from './credentials.ts';
import { createOAuthCredentials } from './oauth-credentials.ts';

let as: FakeAuthorization;
let resource: FakeResource;
beforeEach(async () => {
  as = await startAuthorization();
  resource = await startResource(as);
});
afterEach(() => Promise.all([as.close(), resource.close()]));

/** One process, with a store that others may use at the same moment. */
const open = (store: CredentialStore, clock: Clock = systemClock) =>
  createOAuthCredentials({
    upstream: 'vault' as UpstreamId,
    key: 'k',
    resource: { url: new URL(resource.url), auth: DEFAULT_AUTH },
    store,
    clock,
  });

const headerOf = async (credentials: Credentials) => (await credentials.headersFor())['Authorization'];
const refuse = async (credentials: Credentials) =>
  credentials.onUnauthorized({ status: 401, header: undefined, sent: await headerOf(credentials) });

/** Two processes that are logged in; `pauses` is what happens to the first between what it reads and what it does. */
async function startTwo(pauses: { claim?: () => Promise<unknown>; load?: () => Promise<unknown> }) {
  const store = createMemoryStore().credentials;
  const second = open(store);
  await second.logIn(createAgreeable());
  const first = open({
    ...store,
    async claim(...args) {
      const { claim } = pauses;
      delete pauses.claim;
      await claim?.();
      return store.claim(...args);
    },
    async load(...args) {
      const rows = await store.load(...args);
      const { load } = pauses;
      delete pauses.load;
      await load?.();
      return rows;
    },
  });
  expect(await headerOf(first)).toBe(await headerOf(second));
  return { first, second, store };
}

describe('two processes that refresh one login', () => {
  it('do so once, when one of them has read what the other replaced before its turn came', async () => {
    const pauses: Parameters<typeof startTwo>[0] = {};
    const { first, second } = await startTwo(pauses);
    as.revoke();
    pauses.claim = () => refuse(second);
    expect(await refuse(first)).toBe(true);
    expect(as.tokenRequests('refresh_token')).toHaveLength(1);
    expect(await headerOf(first)).toBe(await headerOf(second));
    as.revoke();
    expect(await refuse(second)).toBe(true);
    expect(as.tokenRequests('refresh_token')).toHaveLength(2);
  });

  it('lose no login that somebody made while the old one was being refused', async () => {
    const pauses: Parameters<typeof startTwo>[0] = {};
    const { first, second } = await startTwo(pauses);
    as.revoke({ refresh: true });
    pauses.claim = async () => {
      pauses.load = () => second.logIn(createAgreeable());
    };
    expect(await refuse(first)).toBe(true);
    expect(as.tokenRequests('refresh_token')).toHaveLength(1);
    expect(await headerOf(first)).toBe(await headerOf(second));
    expect(await second.hasUntried()).toBe(true);
  });

  it('wait no longer for the authorization server than one of them may', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { store } = await startTwo({});
    const clock = createFakeClock();
    const waiting = open(store, clock);
    as.revoke();
    const sent = await headerOf(waiting);
    resource.issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const asked = new Promise((resolve) => silent.once('connection', resolve));
    const refreshed = waiting.onUnauthorized({ status: 401, header: undefined, sent });
    await asked;
    const ended = expect(refreshed).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    await clock.advance(25_000);
    await ended;
    resource.issuer = as.issuer;
    expect(await refuse(waiting)).toBe(true);
    silent.closeAllConnections();
    silent.close();
    // Sooner than a request that nobody answers ends by itself.
  }, 14_000);
});

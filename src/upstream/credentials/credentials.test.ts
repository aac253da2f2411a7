import { afterEach, describe, expect, it } from 'vitest';
import {
  createAgreeable,
  type FakeAuthorization,
  type FakeResource,
  startAuthorization,
  startResource,
  startSseResource,
} from '../../../test/support/authorization-server.ts';
import { callText, createTestUpstreams, toConfig } from '../../../test/support/upstream-parts.ts';
import { systemClock } from '../../lib/clock.ts';
import type { UpstreamId } from '../../model/ids.ts';
import type { JsonObject } from '../../model/json.ts';
import { createMemoryStore } from '../../store/memory-store.ts';
import type { CredentialStore } from '../../store/store.ts';
import { http } from '../connectors/http/connector.ts';
import { sse } from '../connectors/sse/connector.ts';
import { createAuthorisedDialer } from '../http/authorised-dialer.ts';
import type { Upstream } from '../upstream.ts';
import type { Credentials } from './credentials.ts';
import { createKeyring, type Keyring } from './keyring.ts';

const ID = 'vault' as UpstreamId;
const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

interface Start {
  readonly kind?: string;
  readonly store?: CredentialStore;
  readonly auth?: JsonObject;
}

/** One gateway's upstream side in front of a protected server, over a store that others may share. */
async function start(
  resource: FakeResource,
  { kind = 'http', store = createMemoryStore().credentials, auth }: Start = {},
) {
  const keyring: Keyring = createKeyring({ store, clock: systemClock });
  const { upstreams } = createTestUpstreams({ connectors: [http, sse], keyring });
  opened.push({ close: async () => upstreams[Symbol.asyncDispose]() });
  const options = { url: resource.url, ...(auth && { auth }) };
  await upstreams.apply([toConfig(ID, '', [], { kind, options, era: 'legacy' })]);
  const upstream = upstreams.get(ID) as Upstream;
  await upstream.firstContact;
  return { keyring, upstreams, upstream, store };
}

async function startBoth(
  startServer = startResource,
): Promise<{ as: FakeAuthorization; resource: FakeResource }> {
  const as = await startAuthorization();
  const resource = await startServer(as);
  opened.push(as, resource);
  return { as, resource };
}

const tell = (upstream: Upstream) => callText(upstream, 'secret');

describe.each([
  ['http', startResource],
  ['sse', startSseResource],
])('a server of type %s that asks for a login', (kind, startServer) => {
  it('waits for one, says how to get it, and works after it', async () => {
    const { as, resource } = await startBoth(startServer);
    const { keyring, upstream } = await start(resource, { kind });
    expect(upstream.state).toMatchObject({
      is: 'needs_auth',
      reason: expect.stringContaining('run: thimble login vault'),
    });
    expect(as.seen).toEqual([]);
    const person = createAgreeable();
    await keyring.logIn(ID, person);
    expect(await tell(upstream)).toBe('told');
    expect(upstream.state.is).toBe('online');
    expect(Object.fromEntries(person.shown[0]?.searchParams ?? [])).toMatchObject({
      code_challenge_method: 'S256',
      resource: resource.url,
    });
  });

  it('is noticed by a running gateway when somebody logs in elsewhere', async () => {
    const { resource } = await startBoth(startServer);
    const { upstream, store } = await start(resource, { kind });
    const elsewhere = await start(resource, { kind, store });
    await elsewhere.keyring.logIn(ID, createAgreeable());
    expect(await tell(upstream)).toBe('told');
  });

  it('refreshes once for ten calls that are refused at the same time', async () => {
    const { as, resource } = await startBoth(startServer);
    const { keyring, upstream } = await start(resource, { kind });
    await keyring.logIn(ID, createAgreeable());
    await tell(upstream);
    as.revoke();
    const answers = await Promise.all(Array.from({ length: 10 }, () => tell(upstream)));
    expect(answers).toEqual(Array(10).fill('told'));
    expect(as.tokenRequests('refresh_token')).toHaveLength(1);
  });

  it('refreshes once for two processes, though a refresh token is good for one use', async () => {
    const { as, resource } = await startBoth(startServer);
    const one = await start(resource, { kind });
    await one.keyring.logIn(ID, createAgreeable());
    const two = await start(resource, { kind, store: one.store });
    await Promise.all([tell(one.upstream), tell(two.upstream)]);
    as.revoke();
    expect(await Promise.all([tell(one.upstream), tell(two.upstream)])).toEqual(['told', 'told']);
    expect(as.tokenRequests('refresh_token')).toHaveLength(1);
  });

  it('refreshes a token that has ended before it is sent', async () => {
    const { as, resource } = await startBoth(startServer);
    const { keyring, upstream } = await start(resource, { kind });
    as.lifetime = 0;
    await keyring.logIn(ID, createAgreeable());
    as.lifetime = 3_600;
    as.revoke();
    const before = resource.seen.length;
    expect(await tell(upstream)).toBe('told');
    const bearers = new Set(resource.seen.slice(before).map(({ authorization }) => authorization));
    expect(as.tokenRequests('refresh_token')).toHaveLength(1);
    expect(bearers.size).toBeLessThanOrEqual(2);
  });

  it('asks for a new login when the refresh token is no longer taken', async () => {
    const { as, resource } = await startBoth(startServer);
    const { keyring, upstream } = await start(resource, { kind });
    await keyring.logIn(ID, createAgreeable());
    await tell(upstream);
    as.revoke({ refresh: true });
    await expect(tell(upstream)).rejects.toMatchObject({
      code: 'UPSTREAM_AUTH',
      message: expect.stringContaining('run: thimble login vault'),
    });
    await expect(tell(upstream)).rejects.toMatchObject({ code: 'UPSTREAM_AUTH' });
    expect(as.tokenRequests('refresh_token')).toHaveLength(1);
    await expect.poll(() => upstream.state.is).toBe('needs_auth');
    await keyring.logIn(ID, createAgreeable());
    expect(await tell(upstream)).toBe('told');
  });

  it('keeps its login while the authorization server is down', async () => {
    const { as, resource } = await startBoth(startServer);
    const { keyring, upstream } = await start(resource, { kind });
    await keyring.logIn(ID, createAgreeable());
    await tell(upstream);
    as.revoke();
    as.failing = { status: 503, error: 'temporarily_unavailable' };
    await expect(tell(upstream)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    as.failing = undefined;
    expect(await tell(upstream)).toBe('told');
  });

  it('is asked about once more with more rights, at the next login', async () => {
    const { resource } = await startBoth(startServer);
    const { keyring, upstream } = await start(resource, { kind, auth: { scope: 'read' } });
    await keyring.logIn(ID, createAgreeable());
    resource.needed = 'write';
    await expect(tell(upstream)).rejects.toMatchObject({
      code: 'UPSTREAM_AUTH',
      message: expect.stringMatching(/wants more rights \(write\); run: thimble login vault/),
    });
    expect(upstream.state.is).toBe('online');
    const person = createAgreeable();
    await keyring.logIn(ID, person);
    expect(person.shown[0]?.searchParams.get('scope')).toBe('read write');
    expect(await tell(upstream)).toBe('told');
  });

  it('takes nothing to another authorization server', async () => {
    const { as, resource } = await startBoth(startServer);
    const other = await startAuthorization();
    opened.push(other);
    const { keyring, upstream } = await start(resource, { kind });
    await keyring.logIn(ID, createAgreeable());
    await tell(upstream);
    resource.issuer = other.issuer;
    as.revoke();
    await expect(tell(upstream)).rejects.toMatchObject({ code: 'UPSTREAM_AUTH' });
    // It was asked who it is, and told nothing.
    expect(other.seen.map(({ path }) => path)).toEqual(['/.well-known/oauth-authorization-server']);
    expect(other.seen.every(({ body, authorization }) => body === '' && authorization === undefined)).toBe(
      true,
    );
  });

  it('gets no secret of a configured client once it names another authorization server', async () => {
    const { as, resource } = await startBoth(startServer);
    const other = await startAuthorization();
    opened.push(other);
    const { keyring } = await start(resource, { kind, auth: { clientId: 'ours', clientSecret: 'hush' } });
    await keyring.logIn(ID, createAgreeable());
    expect(as.seen.some(({ path }) => path === '/register')).toBe(false);
    resource.issuer = other.issuer;
    const person = createAgreeable();
    await expect(keyring.logIn(ID, person)).rejects.toMatchObject({
      code: 'UPSTREAM_AUTH',
      message: expect.stringContaining('set "issuer" in "auth"'),
    });
    expect(person.shown).toEqual([]);
    expect(other.seen.map(({ path }) => path)).toEqual(['/.well-known/oauth-authorization-server']);
  });

  it('stays in use where only some calls need a login', async () => {
    const { resource } = await startBoth(startServer);
    resource.half = true;
    const { keyring, upstream } = await start(resource, { kind });
    await expect(tell(upstream)).rejects.toMatchObject({
      message: expect.stringContaining('run: thimble login vault'),
    });
    expect(upstream.state.is).toBe('online');
    await keyring.logIn(ID, createAgreeable());
    expect(await tell(upstream)).toBe('told');
  });

  it('gets no answer that belongs to another login', async () => {
    const { as, resource } = await startBoth(startServer);
    const { keyring } = await start(resource, { kind });
    const mixedUp = createAgreeable((params) => params.set('state', 'another'));
    await expect(keyring.logIn(ID, mixedUp)).rejects.toMatchObject({
      code: 'UPSTREAM_AUTH',
      message: expect.stringContaining('belongs to another login'),
    });
    const strange = createAgreeable((params) => params.set('iss', 'https://elsewhere.example'));
    await expect(keyring.logIn(ID, strange)).rejects.toMatchObject({
      message: expect.stringContaining('another authorization server'),
    });
    const refused = createAgreeable((params) => {
      params.delete('code');
      params.set('error', 'access_denied');
    });
    await expect(keyring.logIn(ID, refused)).rejects.toMatchObject({
      message: expect.stringContaining('(access_denied)'),
    });
    expect(as.tokenRequests('authorization_code')).toEqual([]);
  });

  it('is forgotten with its upstream', async () => {
    const { resource } = await startBoth(startServer);
    const { keyring, upstreams, upstream, store } = await start(resource, { kind });
    const removed: string[] = [];
    const removeAll = store.removeAll.bind(store);
    Object.assign(store, {
      removeAll: async (id: UpstreamId) => {
        await removeAll(id);
        removed.push(id);
      },
    });
    await keyring.logIn(ID, createAgreeable());
    await tell(upstream);
    await upstreams.apply([]);
    await expect.poll(() => removed).toEqual([ID]);
    const again = await start(resource, { kind, store });
    expect(again.upstream.state.is).toBe('needs_auth');
  });
});

it('is forgotten with the last of two servers that shared it', async () => {
  const { resource } = await startBoth();
  const { keyring, upstreams, store } = await start(resource);
  const [first] = upstreams.all;
  const twin = toConfig('twin', '', [], { kind: 'http', options: { url: resource.url }, era: 'legacy' });
  const configs = [...(first ? [first.config] : []), twin];
  await upstreams.apply(configs);
  await keyring.logIn(ID, createAgreeable());
  await upstreams.apply([twin]);
  expect(await tell(upstreams.get(twin.id) as Upstream)).toBe('told');
  await upstreams.apply([]);
  await upstreams[Symbol.asyncDispose]();
  const again = await start(resource, { store });
  expect(again.upstream.state.is).toBe('needs_auth');
});

describe('a login that is refused', () => {
  const dial = async (resource: FakeResource, credentials: Credentials, method = 'initialize') => {
    const dialer = createAuthorisedDialer(credentials);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method });
    const headers = { 'Content-Type': 'application/json' };
    const signal = AbortSignal.timeout(10_000);
    try {
      await dialer.send({ method: 'POST', url: new URL(resource.url), headers, body, signal });
    } finally {
      dialer.close();
    }
  };
  const open = (resource: FakeResource, auth?: JsonObject) => {
    const protectedResource = http.resource?.({ url: resource.url, ...(auth && { auth }) });
    if (!protectedResource) throw new Error('no login is possible');
    const keyring = createKeyring({ store: createMemoryStore().credentials, clock: systemClock });
    return { keyring, credentials: keyring.open({ upstream: ID, key: 'k', resource: protectedResource }) };
  };

  it('though it is fresh is not tried again until there is another', async () => {
    const as = await startAuthorization();
    const resource = await startResource({ ...as, scopeOf: () => undefined });
    opened.push(as, resource);
    const auth = { type: 'client-credentials', clientId: 'robot', clientSecret: 'hush', issuer: as.issuer };
    const { credentials } = open(resource, auth);
    await expect(dial(resource, credentials)).rejects.toMatchObject({ code: 'UPSTREAM_AUTH' });
    expect(await credentials.hasUntried()).toBe(false);
  });

  it('for want of rights is not tried again until there is another', async () => {
    const { resource } = await startBoth();
    const { keyring, credentials } = open(resource, { scope: 'read' });
    await keyring.logIn(ID, createAgreeable());
    expect(await credentials.hasUntried()).toBe(true);
    resource.needed = 'write';
    await expect(dial(resource, credentials, 'tools/call')).rejects.toMatchObject({ code: 'UPSTREAM_AUTH' });
    expect(await credentials.hasUntried()).toBe(false);
    await keyring.logIn(ID, createAgreeable());
    expect(await credentials.hasUntried()).toBe(true);
  });
});

describe('a gateway that logs in by itself', () => {
  const auth = { type: 'client-credentials', clientId: 'robot', clientSecret: 'hush' };

  it('gives the secret to the authorization server of the configuration', async () => {
    const { as, resource } = await startBoth();
    const { upstream } = await start(resource, { auth: { ...auth, issuer: as.issuer } });
    expect(await tell(upstream)).toBe('told');
    as.revoke();
    expect(await tell(upstream)).toBe('told');
    expect(as.tokenRequests('client_credentials')).toHaveLength(2);
  });

  it('gives it to nobody else, and says who was meant', async () => {
    const { as, resource } = await startBoth();
    for (const issuer of [undefined, 'https://elsewhere.example']) {
      const { upstream } = await start(resource, { auth: { ...auth, ...(issuer && { issuer }) } });
      expect(upstream.state.is).toBe('needs_auth');
      if (!issuer) expect(upstream.state).toMatchObject({ reason: expect.stringContaining(as.issuer) });
    }
    expect(as.seen.some(({ body, authorization }) => body !== '' || authorization !== undefined)).toBe(false);
  });
});

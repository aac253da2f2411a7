/** What sharing keeps running follows the configuration. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import createTestnet from '@hyperswarm/testnet';
import { expect, it, onTestFinished, vi } from 'vitest';
import { MIGRATIONS, OWNER } from '../../src/builtin/sharing/migrations.ts';
import type { SharingTables } from '../../src/builtin/sharing/tables.ts';
import { openTestClient } from '../../src/builtin/test-client.contract.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { createResolver } from '../../src/config/references.ts';
import { createFeed } from '../../src/events/feed.ts';
import { createInside } from '../../src/gateway/inside.ts';
import { CONFIG_PARTS } from '../../src/gateway.ts';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { openStore } from '../../src/store/open.ts';

const HOST = '127.0.0.1';
const toConfig = (sharing: JsonValue) =>
  parseConfig(JSON.stringify({ builtin: { sharing } }), 'test', CONFIG_PARTS);

it('leaves the network when sharing is switched off, and joins it again with other options', async () => {
  const testnet = await createTestnet(3, { host: HOST });
  const home = await mkdtemp(join(tmpdir(), 'thimble-reload-'));
  const store = await openStore(join(home, 'thimble.db'));
  const place = { bootstrap: testnet.bootstrap.map(({ host, port }) => `${host}:${port}`), host: HOST };
  let config = toConfig(place);
  const resolve = createResolver({});
  const inside = createInside({
    config: () => config,
    store,
    home,
    device: undefined,
    resolve,
    feed: createFeed(),
  });
  onTestFinished(async () => {
    await inside[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
    await testnet.destroy();
  });
  const { db } = await store.tables<SharingTables>(OWNER, MIGRATIONS);
  /** Whoever is on the network, if anybody. */
  const holder = async () =>
    (await db.selectFrom('sharing_leases').select('owner').executeTakeFirst())?.owner;
  const openSharing = async (options: JsonObject) => {
    const create = inside.hosted.get('sharing');
    return openTestClient((await create?.(options)) as Parameters<typeof openTestClient>[0]);
  };
  inside.startBackground();

  const client = await openSharing(place);
  await client.call('generate_invite');
  const first = await holder();
  expect(first).toBeDefined();
  await inside.follow();
  expect(await holder()).toBe(first);

  config = toConfig(false);
  await inside.follow();
  expect(await holder()).toBeUndefined();

  // The background has begun by then, so nobody has to call it.
  const other = { ...place, name: 'Anna' };
  config = toConfig(other);
  const isBack = async () => {
    await inside.follow();
    return (await holder()) !== undefined;
  };
  await vi.waitUntil(isBack, { timeout: 120_000, interval: 50 });
  expect(await holder()).not.toBe(first);
  expect((await (await openSharing(other)).call('sharing_status')).data).toMatchObject({ network: 'on' });
});

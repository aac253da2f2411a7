import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createReadStream, existsSync } from 'node:fs';
import createTestnet from '@hyperswarm/testnet';
import HyperDHT from 'hyperdht';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { openSharing } from './context.ts';
import { LEAVE_MS } from './limits.ts';
import type { NetworkPlace } from './network/network.ts';
import { introduce, openTestPerson, readInbox, type TestPerson, until } from './test-peers.contract.ts';

const FILE_BYTES = 4_000_000;

let testnet: Awaited<ReturnType<typeof createTestnet>>;
let network: NetworkPlace;

beforeAll(async () => {
  testnet = await createTestnet(3, { host: '127.0.0.1' });
  network = { bootstrap: testnet.bootstrap, host: '127.0.0.1' };
});

afterAll(() => testnet.destroy());

const settled = (person: TestPerson) =>
  until(
    async () => (await person.client.call('sharing_status')).data['outbox'] as { waiting: number },
    ({ waiting }) => waiting === 0,
  );

const isOnline = (person: TestPerson, online: number) =>
  until(
    async () => (await person.client.call('sharing_status')).data['online'],
    (count) => count === online,
  );

/** Dials somebody with the key of somebody else, without their program. */
async function dial(from: TestPerson, to: TestPerson): Promise<'open' | 'refused'> {
  const [caller, called] = await Promise.all(
    [from, to].map(async ({ store, home }) => (await openSharing({ store, home })).identity()),
  );
  const dht = new HyperDHT({ ...network, firewalled: false });
  const stream = dht.connect(called?.pair.publicKey ?? Buffer.alloc(32), { keyPair: caller?.pair });
  const outcome = await new Promise<'open' | 'refused'>((resolve) => {
    stream.once('open', () => resolve('open'));
    stream.once('error', () => resolve('refused'));
  });
  stream.on('error', () => {});
  stream.destroy();
  await dht.destroy();
  return outcome;
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

describe('sharing over a real hash table on this machine', () => {
  it('invites, delivers to somebody who was away, once, and takes it back', async () => {
    const anna = await openTestPerson({ network });
    const bert = await openTestPerson({ network });
    const accepted = await introduce(anna, bert, { one: 'Anna', other: 'Bert' });
    const { data } = await anna.client.call('list_contacts');
    expect(data).toMatchObject({
      contacts: [{ name: 'Bert', safety_number: accepted['safety_number'] }],
    });
    await bert.client.call('send_message', { contact: 'Anna', message: 'here I am' });
    await settled(bert);
    expect(await readInbox(anna)).toMatchObject([{ content: 'here I am', from: 'Bert' }]);

    await bert.stop();
    await isOnline(anna, 0);
    const sha256 = await anna.putFile('film', FILE_BYTES);
    anna.put('memory', '7', { title: 'Tea', content: 'green' });
    await anna.client.call('share', { contact: 'Bert', share_type: 'file', item_id: 'film' });
    await anna.client.call('share', { contact: 'Bert', share_type: 'memory', item_id: '7' });
    await bert.start();
    await bert.client.call('sharing_status');
    await settled(anna);
    const entries = await readInbox(bert);
    expect(entries.map(({ title }) => title).sort()).toEqual(['Tea', 'film']);
    const film = entries.find(({ title }) => title === 'film')?.['id'] as number;
    const [entry] = (await bert.client.call('inbox', { id: film })).data['entries'] as {
      file: { path: string };
    }[];
    const path = entry?.file.path ?? '';
    expect(await hashFile(path)).toBe(sha256);

    for (const [share_type, item_id] of [
      ['file', 'film'],
      ['memory', '7'],
    ])
      await anna.client.call('revoke_access', { contact: 'Bert', share_type, item_id });
    await until(
      () => readInbox(bert),
      ({ length }) => length === 0,
    );
    expect(existsSync(path)).toBe(false);
    expect(await bert.client.call('inbox', { id: film })).toMatchObject({
      isError: true,
      text: expect.stringContaining('was revoked by Anna'),
    });
  });

  it('says so when the address to bind to is not one of this machine, and goes on without', async () => {
    const anna = await openTestPerson({ network: { ...network, host: '192.0.2.1' } });
    expect(await anna.client.call('generate_invite')).toMatchObject({ isError: false });
    expect(await anna.client.call('sharing_status')).toMatchObject({
      data: { network: 'failed', open_invites: 1 },
      text: expect.stringContaining('builtin.sharing.host'),
    });
  });

  it('leaves a network that is silent in time, even while it is being joined', async () => {
    const silent = createSocket('udp4');
    onTestFinished(() => void silent.close());
    await new Promise<void>((resolve) => void silent.bind(0, '127.0.0.1', resolve));
    const bootstrap = [{ host: '127.0.0.1', port: silent.address().port }];
    const left: string[] = [];
    const join = async (name: string) => {
      const clock = createFakeClock();
      const person = await openTestPerson({ network: { ...network, bootstrap }, clock });
      await person.client.call('generate_invite');
      expect((await person.client.call('sharing_status')).data).toMatchObject({ network: 'on' });
      return { clock, leave: () => person.stop().then(() => left.push(name)) };
    };
    const [patient, hasty] = [await join('by itself'), await join('in time')];
    // Her clock stands still, so she shows how long it takes when nobody looks at one.
    const last = patient.leave();
    const first = hasty.leave();
    await expect.poll(() => hasty.clock.advance(LEAVE_MS).then(() => left)).not.toEqual([]);
    await Promise.all([first, last]);
    expect(left).toEqual(['in time', 'by itself']);
  });

  it('refuses an invite that somebody else used, and somebody who was blocked', async () => {
    const anna = await openTestPerson({ network });
    const bert = await openTestPerson({ network });
    const carl = await openTestPerson({ network });
    const invite = await anna.client.call('generate_invite', { display_name: 'Bert' });
    const invite_code = String(invite.data['invite_code']);
    expect(await bert.client.call('accept_invite', { invite_code })).toMatchObject({ isError: false });
    expect(await carl.client.call('accept_invite', { invite_code })).toMatchObject({
      isError: true,
      text: expect.stringContaining('was used already'),
    });
    // Others are invited, so the network stays joined.
    await anna.client.call('generate_invite');
    await anna.client.call('revoke_access', { contact: 'Bert', block: true });
    await isOnline(bert, 0);
    expect(await dial(bert, anna)).toBe('refused');
    expect(await dial(carl, anna)).toBe('open');
    expect((await anna.client.call('sharing_status')).data).toMatchObject({ network: 'on', online: 0 });
    const [contact] = (await bert.client.call('list_contacts')).data['contacts'] as { id: string }[];
    await bert.client.call('send_message', { contact: contact?.id ?? '', message: 'let me in' });
    await anna.client.call('revoke_access', { contact: 'Bert', block: false });
    await anna.client.call('send_message', { contact: 'Bert', message: 'come in' });
    await settled(bert);
    expect(await readInbox(anna)).toMatchObject([{ content: 'let me in' }]);
  });
});

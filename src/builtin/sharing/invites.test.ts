import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSharing } from './context.ts';
import { toIdentity } from './identity.ts';
import { createSecret, parseInviteCode, toInviteCode } from './invites.ts';
import { INVITE_MS } from './limits.ts';
import { createTestNetwork } from './test-network.contract.ts';
import { introduce, openTestPerson, readInbox, type TestPerson, until } from './test-peers.contract.ts';

const invite = async (person: TestPerson) =>
  String((await person.client.call('generate_invite')).data['invite_code']);

describe('an invite', () => {
  const identity = toIdentity(randomBytes(32));

  it('says who made it, until when it is good, and the secret', () => {
    const secret = createSecret();
    const code = toInviteCode(identity, { secret, expiresAt: 5_000 });
    expect(parseInviteCode(` ${code}\n`, 4_999)).toEqual({ key: identity.key, secret, expiresAt: 5_000 });
    expect(() => parseInviteCode(code, 5_000)).toThrow(/has expired/);
  });

  it('is refused when a single letter of it was changed', () => {
    const code = toInviteCode(identity, { secret: createSecret(), expiresAt: Date.now() + 1000 });
    fc.assert(
      fc.property(fc.nat(code.length - 1), fc.constantFrom(...'abcXYZ019-_.'), (at, letter) => {
        const altered = code.slice(0, at) + letter + code.slice(at + 1);
        if (altered !== code) expect(() => parseInviteCode(altered, 0)).toThrow(/this invite/);
      }),
      { numRuns: 300 },
    );
  });

  it('is refused when it is anything else', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        expect(() => parseInviteCode(text, 0)).toThrow(/is not one of this program/);
      }),
    );
  });
});

describe('accepting an invite', () => {
  async function openThree(now?: () => Date) {
    const network = createTestNetwork();
    const parts = { network: network.open, ...(now ? { now } : {}) };
    const people = [await openTestPerson(parts), await openTestPerson(parts), await openTestPerson(parts)];
    const [anna, bert, carl] = people as [TestPerson, TestPerson, TestPerson];
    return { anna, bert, carl, network };
  }

  it('works once: whoever comes second is told so, and is nobody here', async () => {
    const { anna, bert, carl } = await openThree();
    const invite_code = await invite(anna);
    expect(await bert.client.call('accept_invite', { invite_code })).toMatchObject({ isError: false });
    expect(await carl.client.call('accept_invite', { invite_code })).toMatchObject({
      isError: true,
      text: expect.stringContaining('was used already'),
    });
    expect((await anna.client.call('list_contacts')).data['contacts']).toHaveLength(1);
    expect((await carl.client.call('list_contacts')).data['contacts']).toEqual([]);
    const again = await bert.client.call('accept_invite', { invite_code });
    expect(again.data).toMatchObject({ status: 'connected' });
  });

  it('never gives two contacts one name, whatever they call themselves', async () => {
    const network = createTestNetwork();
    const anna = await openTestPerson({ network: network.open });
    const people = [1, 2].map(() =>
      openTestPerson({ network: network.open, options: { name: 'Bank\u202e\n' } }),
    );
    for (const person of await Promise.all(people))
      await person.client.call('accept_invite', { invite_code: await invite(anna) });
    const { data } = await anna.client.call('list_contacts');
    expect((data['contacts'] as { name: string }[]).map(({ name }) => name)).toEqual(['Bank', 'Bank (2)']);
  });

  it('lets in one of two who try at the same moment', async () => {
    const { anna, bert, carl } = await openThree();
    const invite_code = await invite(anna);
    const answers = await Promise.all(
      [bert, carl].map(({ client }) => client.call('accept_invite', { invite_code })),
    );
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1);
    expect((await anna.client.call('list_contacts')).data['contacts']).toHaveLength(1);
  });

  it('is refused by the inviter too when it has expired, whatever the clock of the other says', async () => {
    let later = 0;
    const network = createTestNetwork();
    const anna = await openTestPerson({ network: network.open, now: () => new Date(Date.now() + later) });
    const bert = await openTestPerson({ network: network.open });
    const invite_code = await invite(anna);
    later = INVITE_MS + 1;
    expect(await bert.client.call('accept_invite', { invite_code })).toMatchObject({
      isError: true,
      text: expect.stringContaining('has expired'),
    });
  });

  it('is refused when the inviter never made it, though it carries their name', async () => {
    const { anna, bert, carl } = await openThree();
    const real = parseInviteCode(await invite(anna), Date.now());
    const mallory = toIdentity(randomBytes(32));
    const forged = toInviteCode(
      { ...mallory, pair: { ...mallory.pair, publicKey: Buffer.from(real.key, 'hex') } },
      { secret: createSecret(), expiresAt: Date.now() + 1000 },
    );
    expect((await bert.client.call('accept_invite', { invite_code: forged })).text).toContain(
      'signed by somebody else',
    );
    // Signed by its maker, but of a store that is gone.
    const sharing = await openSharing({ store: carl.store, home: carl.home });
    await invite(carl);
    const lost = toInviteCode(await sharing.identity(), {
      secret: createSecret(),
      expiresAt: Date.now() + 60_000,
    });
    expect((await bert.client.call('accept_invite', { invite_code: lost })).text).toContain(
      'is not known to',
    );
    expect((await anna.client.call('accept_invite', { invite_code: await invite(anna) })).text).toContain(
      'is your own',
    );
  });

  it('goes on by itself when the inviter is away', async () => {
    const { anna, bert } = await openThree();
    const invite_code = await invite(anna);
    await anna.stop();
    const accepting = bert.client.call('accept_invite', { invite_code });
    await until(
      async () => (await bert.client.call('sharing_status')).data['accepting'],
      (accepting) => (accepting as string[]).length === 1,
    );
    await anna.start();
    await anna.client.call('sharing_status');
    expect((await accepting).data).toMatchObject({ status: 'connected' });
  });
});

describe('a blocked contact', () => {
  it('cannot reach in, gets nothing, and is let in again when unblocked', async () => {
    const network = createTestNetwork();
    const anna = await openTestPerson({ network: network.open });
    const bert = await openTestPerson({ network: network.open });
    await introduce(anna, bert, { one: 'Anna', other: 'Bert' });
    // Others are invited, so the network stays joined.
    await invite(anna);
    const blocked = await anna.client.call('revoke_access', { contact: 'Bert', block: true });
    expect(blocked.data).toMatchObject({ blocked: true });
    await until(
      async () => (await bert.client.call('sharing_status')).data['online'],
      (online) => online === 0,
    );
    await bert.client.call('send_message', { contact: 'Anna', message: 'let me in' });
    const { peer_key } = await findKey(bert);
    expect(network.connect(await ownKey(bert), peer_key)).toBeUndefined();
    expect(network.connect(await ownKey(anna), peer_key)).toBeDefined();
    expect(await readInbox(anna)).toEqual([]);
    expect(await anna.client.call('send_message', { contact: 'Bert', message: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('is blocked'),
    });
    expect((await anna.client.call('list_contacts')).data).toEqual({ contacts: [] });
    const all = await anna.client.call('list_contacts', { include_blocked: true });
    expect(all.data).toMatchObject({ contacts: [{ status: 'blocked' }] });
    await anna.client.call('revoke_access', { contact: 'Bert', block: false });
    const entries = await until(
      () => readInbox(anna),
      ({ length }) => length > 0,
    );
    expect(entries).toMatchObject([{ content: 'let me in' }]);
  });
});

async function findKey(person: TestPerson): Promise<{ peer_key: string }> {
  const { db } = await openSharing({ store: person.store, home: person.home });
  return db.selectFrom('sharing_contacts').select('peer_key').executeTakeFirstOrThrow();
}

async function ownKey(person: TestPerson): Promise<string> {
  return (await (await openSharing({ store: person.store, home: person.home })).identity()).key;
}

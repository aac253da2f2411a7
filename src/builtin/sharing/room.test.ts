import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ARRIVING_MS, REMEMBERED_LIMIT } from './limits.ts';
import { toBytes } from './peer/frames.ts';
import { findReceived } from './rows/received.ts';
import { createTestNetwork } from './test-network.contract.ts';
import { introduce, openTestPerson, readInbox, type TestPerson, until } from './test-peers.contract.ts';
import { message, newId, openContact, openStage, type Raw } from './test-raw-peer.contract.ts';

const QUOTA = { quotaMb: 0.1 };
const CONTACT = 1;

function toFileItem(id: string, bytes: Buffer, permissions = 'read') {
  const file = { name: 'f', size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  return { t: 'item', id, kind: 'item', type: 'file', title: 'f', permissions, content: {}, file };
}

async function sendFile(raw: Raw, id: string, bytes: Buffer): Promise<unknown> {
  raw.say(toFileItem(id, bytes));
  const answer = (await raw.hear()) as { readonly t: string };
  if (answer.t !== 'want') return answer;
  raw.stream.write(toBytes(id, bytes));
  raw.say({ t: 'end', id });
  return raw.hear();
}

const statusOf = async ({ client }: TestPerson) => client.call('sharing_status');

describe('removing something from the inbox', () => {
  it('gives its room back to whoever sent it, and takes its file away', async () => {
    const stage = await openStage({ options: QUOTA });
    const raw = await openContact(stage);
    const [first, second] = [newId(), newId()];
    expect(await sendFile(raw, first, randomBytes(100_000))).toEqual({ t: 'ack', id: first });
    expect(await sendFile(raw, second, randomBytes(50_000))).toEqual({
      t: 'nack',
      id: second,
      reason: 'full',
    });
    expect((await statusOf(stage.anna)).data).toMatchObject({ no_room: ['Mallory'] });
    const { client } = stage.anna;
    const { data } = await client.call('inbox', { id: 1 });
    const path = (data['entries'] as { file: { path: string } }[])[0]?.file.path ?? '';
    expect(existsSync(path)).toBe(true);
    expect(await client.call('inbox', { id: 1, remove: true })).toMatchObject({
      data: { removed: 1, entries: [] },
    });
    expect(existsSync(path)).toBe(false);
    expect((await statusOf(stage.anna)).data).toMatchObject({ no_room: [], inbox: { held: 0 } });
    expect(await client.call('inbox', { id: 1 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('was removed; ask Mallory to share it again'),
    });
    expect(await sendFile(raw, second, randomBytes(50_000))).toEqual({ t: 'ack', id: second });
  });

  it('is for good: the same one does not come again, and can still be revoked', async () => {
    const stage = await openStage();
    const raw = await openContact(stage);
    const [id, revoke] = [newId(), newId()];
    raw.say(message(id));
    expect(await raw.hear()).toEqual({ t: 'ack', id });
    await stage.anna.client.call('inbox', { id: 1, remove: true });
    raw.say(message(id));
    expect(await raw.hear()).toEqual({ t: 'ack', id });
    raw.say({ t: 'item', id: revoke, kind: 'revoke', of: id });
    expect(await raw.hear()).toEqual({ t: 'ack', id: revoke });
    expect(await readInbox(stage.anna)).toEqual([]);
  });

  it('needs an id', async () => {
    const { anna } = await openStage();
    expect(await anna.client.call('inbox', { remove: true })).toMatchObject({
      isError: true,
      text: expect.stringContaining('nothing was removed'),
    });
  });

  it('makes room where too much is remembered, whether it had a file or not', async () => {
    const stage = await openStage();
    const { db } = stage.sharing;
    const raw = await openContact(stage);
    const [id, later] = [newId(), newId()];
    await sendFile(raw, id, randomBytes(10));
    await stage.anna.client.call('inbox', { id: 1, remove: true });
    const found = await findReceived(db, CONTACT, id);
    if (!found) throw new Error('nothing is remembered');
    const { id: _, ...row } = found;
    for (let n = 1; n < REMEMBERED_LIMIT; n += 1_111) {
      const rows = Array.from({ length: 1_111 }, () => ({ ...row, item_id: newId() }));
      await db.insertInto('sharing_received').values(rows).execute();
    }
    raw.say(message(later));
    expect(await raw.hear()).toEqual({ t: 'ack', id: later });
  });
});

describe('a file that stopped on its way', () => {
  it('is forgotten once its sender has not come back to it for long, and may be sent anew', async () => {
    let time = Date.now();
    const stage = await openStage({ now: () => new Date(time) });
    const { anna, sharing } = stage;
    const [id, bytes] = [newId(), randomBytes(1_000)];
    const begin = async () => {
      const raw = await openContact(stage);
      raw.say(toFileItem(id, bytes));
      expect(await raw.hear()).toMatchObject({ t: 'want', id });
    };
    /** Files are swept when the network is joined. */
    const isKeptAfter = async (ms: number) => {
      await anna.stop();
      time += ms;
      await anna.start();
      await anna.client.call('sharing_status');
      return (await findReceived(sharing.db, CONTACT, id)) !== undefined;
    };
    await begin();
    expect(await isKeptAfter(ARRIVING_MS)).toBe(true);
    await begin();
    expect(await isKeptAfter(ARRIVING_MS)).toBe(true);
    expect(await isKeptAfter(1)).toBe(false);
    expect(await sendFile(await openContact(stage), id, bytes)).toEqual({ t: 'ack', id });
  });

  it('can be taken back by its sender, though sending it failed', async () => {
    const stage = await openStage();
    const { anna } = stage;
    const raw = await openContact(stage);
    await anna.putFile('film', 1_000);
    await anna.client.call('share', { contact: 'Mallory', share_type: 'file', item_id: 'film' });
    const { id } = (await raw.hear()) as { readonly id: string };
    await rm(join(anna.home, 'sharing', 'outgoing', id));
    raw.say({ t: 'want', id, offset: 0 });
    await until(
      () => statusOf(anna),
      ({ data }) => (data['outbox'] as { failed: number }).failed === 1,
    );
    const film = { contact: 'Mallory', share_type: 'file', item_id: 'film' };
    expect((await anna.client.call('revoke_access', film)).data).toMatchObject({ revoked: 1 });
    expect(await raw.hear()).toMatchObject({ kind: 'revoke', of: id });
  });
});

describe('what the other side has no room for', () => {
  it('says so to whoever sent it, while it waits', async () => {
    const network = createTestNetwork();
    const anna = await openTestPerson({ network: network.open });
    const bert = await openTestPerson({ network: network.open, options: QUOTA });
    await introduce(anna, bert, { one: 'Anna', other: 'Bert' });
    await anna.putFile('film', 200_000);
    await anna.client.call('share', { contact: 'Bert', share_type: 'file', item_id: 'film' });
    const { data, text } = await until(
      () => statusOf(anna),
      (answer) => (answer.data['put_off'] as unknown[]).length > 0,
    );
    expect(data).toMatchObject({
      outbox: { waiting: 1, failed: 0 },
      put_off: [{ contact: 'Bert', count: 1, reason: expect.stringContaining('no room') }],
    });
    expect(text).toContain('1 waiting for Bert: they have no room for it');
  });
});

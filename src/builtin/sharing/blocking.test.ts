import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import type { SharedItems } from '../shared-item.ts';
import { openTestClient, type TestClient } from '../test-client.contract.ts';
import { OUTBOX_LIMIT } from './limits.ts';
import { toBytes } from './peer/frames.ts';
import { addOutgoing, createItemId, findNext, noteSent } from './rows/outbox.ts';
import { createSharingServer } from './server.ts';
import { readInbox } from './test-peers.contract.ts';
import { message, newId, openContact, openStage, type Raw, type Stage } from './test-raw-peer.contract.ts';

const CONTACT = { id: 1, name: 'Mallory' };
const words = () => ({ itemId: createItemId(), kind: 'message' as const, body: '{"text":"hi"}' });

/** A clock that stands still: the process on the network looks at nothing of its own accord. */
const openStill = () => openStage({ clock: createFakeClock() });

/** A second process over the same store; the first is on the network. */
async function openSecond({ anna, network }: Stage, items?: SharedItems): Promise<TestClient> {
  const second = createSharingServer({ store: anna.store, home: anna.home, network: network.open, items });
  onTestFinished(() => second.close());
  const client = await openTestClient(second);
  expect((await client.call('sharing_status')).data).toMatchObject({ network: 'elsewhere' });
  return client;
}

/** Lets the contact in, and waits until whoever did so has looked at everything. */
async function openConversation(stage: Stage): Promise<Raw> {
  const raw = await openContact(stage);
  const id = newId();
  raw.say(message(id, 'before'));
  expect(await raw.hear()).toEqual({ t: 'ack', id });
  await stage.anna.client.call('sharing_status');
  return raw;
}

const block = (client: TestClient) => client.call('revoke_access', { contact: 'Mallory', block: true });

describe('somebody who was blocked by another process', () => {
  it('leaves nothing more, though their conversation is still open', async () => {
    const stage = await openStill();
    const second = await openSecond(stage);
    const raw = await openConversation(stage);
    await block(second);
    const id = newId();
    raw.say(message(id));
    expect(await raw.hear()).toEqual({ t: 'nack', id, reason: 'unavailable' });
    raw.say({ t: 'item', id, kind: 'revoke', of: newId() });
    expect(await raw.hear()).toEqual({ t: 'nack', id, reason: 'unavailable' });
    expect(await readInbox(stage.anna)).toMatchObject([{ content: 'before' }]);
  });

  it('does not complete a file that was on its way, and may once they are let in again', async () => {
    const stage = await openStill();
    const second = await openSecond(stage);
    const raw = await openConversation(stage);
    const bytes = Buffer.from('good bytes');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const id = newId();
    const item = { t: 'item', id, kind: 'item', type: 'file', title: 'f', permissions: 'read', content: {} };
    raw.say({ ...item, file: { name: 'f', size: bytes.length, sha256 } });
    expect(await raw.hear()).toEqual({ t: 'want', id, offset: 0 });
    raw.stream.write(toBytes(id, bytes));
    await block(second);
    raw.say({ t: 'end', id });
    expect(await raw.hear()).toEqual({ t: 'nack', id, reason: 'unavailable' });
    expect(await readInbox(stage.anna)).toMatchObject([{ content: 'before' }]);
    await second.call('revoke_access', { contact: 'Mallory', block: false });
    raw.say({ ...item, file: { name: 'f', size: bytes.length, sha256 } });
    expect(await raw.hear()).toEqual({ t: 'want', id, offset: 0 });
    raw.stream.write(toBytes(id, bytes));
    raw.say({ t: 'end', id });
    expect(await raw.hear()).toEqual({ t: 'ack', id });
    expect(await readInbox(stage.anna)).toHaveLength(2);
  });

  it('is sent nothing more, not even what was about to leave', async () => {
    const stage = await openStill();
    const { sharing } = stage;
    const second = await openSecond(stage);
    await addOutgoing(sharing, CONTACT, words());
    const revoke = { itemId: createItemId(), kind: 'revoke' as const, body: `{"of":"${newId()}"}` };
    await addOutgoing(sharing, CONTACT, revoke);
    const next = await findNext(sharing, CONTACT.id, 'words', []);
    const after = await findNext(sharing, CONTACT.id, 'words', [next?.seq ?? 0]);
    expect(after?.kind).toBe('revoke');
    await block(second);
    expect(await noteSent(sharing, next?.seq ?? 0)).toBe(false);
    expect(await noteSent(sharing, after?.seq ?? 0)).toBe(false);
    expect(await findNext(sharing, CONTACT.id, 'words', [])).toBeUndefined();
  });

  it('does not get what somebody was just about to share', async () => {
    const stage = await openStill();
    const second = await openSecond(stage);
    const third = await openSecond(stage, {
      async read() {
        await block(second);
        return { title: 'Secret', content: 'sixteen' };
      },
    });
    expect(await third.call('share', { contact: 'Mallory', share_type: 'note', item_id: '1' })).toMatchObject(
      {
        isError: true,
        text: expect.stringContaining('is blocked'),
      },
    );
    expect((await second.call('sharing_status')).data).toMatchObject({ outbox: { waiting: 0 } });
  });
});

describe('blocking', () => {
  it('succeeds though the outbox is full, and what left is revoked once they are let in again', async () => {
    const stage = await openStill();
    const { sharing } = stage;
    const at = sharing.now().toISOString();
    const item = { itemId: createItemId(), kind: 'item' as const, body: '{}', shareType: 'note', refId: '1' };
    await addOutgoing(sharing, CONTACT, item);
    const [sent] = await sharing.db.selectFrom('sharing_outbox').selectAll().execute();
    if (!sent) throw new Error('nothing was put into the outbox');
    await sharing.db.updateTable('sharing_outbox').set({ state: 'delivered', sent_at: at }).execute();
    const { seq: _, ...row } = sent;
    for (let n = 0; n < OUTBOX_LIMIT; n += 1_000) {
      const rows = Array.from({ length: 1_000 }, () => ({ ...row, item_id: createItemId() }));
      await sharing.db.insertInto('sharing_outbox').values(rows).execute();
    }
    await expect(addOutgoing(sharing, CONTACT, words())).rejects.toMatchObject({ code: 'TOO_BUSY' });
    expect(await block(stage.anna.client)).toMatchObject({
      isError: false,
      data: { blocked: true, withdrawn: OUTBOX_LIMIT, revoked: 1 },
    });
    const contacts = await stage.anna.client.call('list_contacts', { include_blocked: true });
    expect(contacts.data).toMatchObject({ contacts: [{ status: 'blocked' }] });
    await stage.anna.client.call('revoke_access', { contact: 'Mallory', block: false });
    const next = await findNext(sharing, CONTACT.id, 'words', []);
    expect(next).toMatchObject({ kind: 'revoke', body: JSON.stringify({ of: item.itemId }) });
  });
});

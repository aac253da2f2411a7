import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSharing } from './context.ts';
import { createTestNetwork } from './test-network.contract.ts';
import { introduce, openTestPerson, readInbox, type TestPerson, until } from './test-peers.contract.ts';

async function openTwo(options: object = {}) {
  const network = createTestNetwork();
  const anna = await openTestPerson({ network: network.open });
  const bert = await openTestPerson({ network: network.open, options });
  return { network, anna, bert };
}

async function openFriends(options: object = {}) {
  const two = await openTwo(options);
  await introduce(two.anna, two.bert, { one: 'Anna', other: 'Bert' });
  return two;
}

const arrive = (person: TestPerson, count = 1) =>
  until(
    () => readInbox(person),
    (entries) => entries.length >= count,
  );

const settled = (person: TestPerson) =>
  until(
    async () => (await person.client.call('sharing_status')).data as { outbox: { waiting: number } },
    ({ outbox }) => outbox.waiting === 0,
  );

/** Ends one program, and waits until the other has noticed. */
async function goAway(gone: TestPerson, other: TestPerson): Promise<void> {
  await gone.stop();
  await until(
    async () => (await other.client.call('sharing_status')).data['online'],
    (online) => online === 0,
  );
}

const pathOf = (answer: { readonly data: Readonly<Record<string, unknown>> }) =>
  (answer.data['entries'] as { file: { path: string } }[])[0]?.file.path ?? '';

describe('two people', () => {
  it('know each other once an invite was accepted, and see the same safety number', async () => {
    const { anna, bert } = await openTwo();
    const accepted = await introduce(anna, bert, { one: 'Anna', other: 'Bert' });
    expect(accepted).toMatchObject({ status: 'connected', name: 'Anna' });
    const contacts = await anna.client.call('list_contacts');
    expect(contacts.data).toMatchObject({
      contacts: [{ name: 'Bert', status: 'online', safety_number: accepted['safety_number'] }],
    });
    expect(accepted['safety_number']).toMatch(/^(\d{5} ){7}\d{5}$/);
    const resource = await bert.client.request('resources/read', { uri: 'sharing://contacts' });
    expect(JSON.stringify(resource)).toContain(String(accepted['safety_number']));
  });

  it('write to each other, and a message that was shown is no longer new', async () => {
    const { anna, bert } = await openFriends();
    await anna.client.call('send_message', { contact: 'bert', message: 'hello' });
    await bert.client.call('send_message', { contact: 'Anna', message: 'hello yourself' });
    expect(await arrive(bert)).toMatchObject([{ kind: 'message', content: 'hello', from: 'Anna' }]);
    expect(await arrive(anna)).toMatchObject([{ content: 'hello yourself', from: 'Bert' }]);
    expect(await readInbox(bert)).toMatchObject([{ unread: false }]);
    expect((await bert.client.call('inbox', { unread_only: true })).data).toMatchObject({ entries: [] });
  });

  it('get what was shared while they were away, once, in order', async () => {
    const { network, anna, bert } = await openFriends();
    await goAway(bert, anna);
    anna.put('memory', '7', { title: 'Tea', content: { content: 'green, no sugar', importance: 8 } });
    const shared = await anna.client.call('share', { contact: 'Bert', share_type: 'memory', item_id: '7' });
    expect(shared).toMatchObject({ isError: false, text: expect.stringContaining('waits until') });
    for (let n = 0; n < 20; n++)
      await anna.client.call('send_message', { contact: 'Bert', message: `number ${n}` });
    await bert.start();
    await bert.client.call('sharing_status');
    for (let n = 0; n < 3; n++) {
      network.cut();
      await anna.client.call('sharing_status');
    }
    await bert.client.call('send_message', { contact: 'Anna', message: 'back' });
    await settled(bert);
    await settled(anna);
    const entries = await readInbox(bert);
    expect(entries.map(({ title, content }) => title ?? content)).toEqual([
      'Tea',
      ...Array.from({ length: 20 }, (_, n) => `number ${n}`),
    ]);
    const read = await bert.client.call('inbox', { id: entries[0]?.['id'] as number });
    expect(read.text).toContain('{"content":"green, no sugar","importance":8}');
    expect(read.data).toMatchObject({
      entries: [{ kind: 'item', share_type: 'memory', permissions: 'read' }],
    });
  });

  it('see the beginning of a long message in the list, and the whole of it by its id', async () => {
    const { anna, bert } = await openFriends();
    const long = `x${'\u{1f9f5}'.repeat(1_500)}`;
    await anna.client.call('send_message', { contact: 'Bert', message: long });
    const [entry] = await arrive(bert);
    expect(entry).toMatchObject({ unread: true, content: `x${'\u{1f9f5}'.repeat(999)}` });
    const read = await bert.client.call('inbox', { id: entry?.['id'] as number });
    expect(read.data).toMatchObject({ entries: [{ content: long }] });
  });

  it('page through what came, newest first', async () => {
    const { anna, bert } = await openFriends();
    for (const message of ['a', 'b', 'c'])
      await anna.client.call('send_message', { contact: 'Bert', message });
    const entries = await arrive(bert, 3);
    const before = entries[2]?.['id'] as number;
    const { data } = await bert.client.call('inbox', { before, limit: 1 });
    expect(data['entries']).toMatchObject([{ content: 'b' }]);
  });

  it('get files whole, even in spite of broken connections', async () => {
    const { network, anna, bert } = await openFriends();
    const sha256 = await anna.putFile('film', 5_000_000);
    await anna.client.call('share', { contact: 'Bert', share_type: 'file', item_id: 'film' });
    await anna.client.call('send_message', { contact: 'Bert', message: 'not held up' });
    for (let n = 0; n < 4; n++) {
      network.cut();
      await anna.client.call('send_message', { contact: 'Bert', message: `cut ${n}` });
    }
    const entries = await arrive(bert, 6);
    const { id } = entries.find(({ share_type }) => share_type === 'file') ?? {};
    const path = pathOf(await bert.client.call('inbox', { id: id as number }));
    expect(
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ).toBe(sha256);
    await settled(anna);
    expect(await readInbox(bert)).toHaveLength(6);
    await expect.poll(() => readdir(join(anna.home, 'sharing', 'outgoing'))).toEqual([]);
  });

  it('get what the item was when it was shared, whatever becomes of it', async () => {
    const { anna, bert } = await openFriends();
    await goAway(bert, anna);
    anna.put('note', '1', { title: 'Draft', content: 'first words' });
    await anna.client.call('share', { contact: 'Bert', share_type: 'note', item_id: '1' });
    anna.put('note', '1', { title: 'Draft', content: 'other words' });
    await bert.start();
    await bert.client.call('sharing_status');
    const [entry] = await arrive(bert);
    expect((await bert.client.call('inbox', { id: entry?.['id'] as number })).text).toContain('first words');
  });
});

describe('permissions', () => {
  async function shareNote(permissions: string) {
    const { anna, bert, network } = await openFriends();
    anna.put('note', '1', { title: 'List', content: 'milk' });
    await anna.client.call('share', { contact: 'Bert', share_type: 'note', item_id: '1', permissions });
    const [entry] = await arrive(bert);
    return { anna, bert, network, id: entry?.['id'] as number };
  }

  it('one-time: it is read once, and then gone', async () => {
    const { bert, id } = await shareNote('one-time');
    const answers = await Promise.all([bert.client.call('inbox', { id }), bert.client.call('inbox', { id })]);
    expect(answers.filter(({ text }) => text.includes('milk'))).toHaveLength(1);
    expect(await bert.client.call('inbox', { id })).toMatchObject({
      isError: true,
      text: expect.stringContaining('could be read once'),
    });
  });

  it('one-time: it is not used up by an attempt in which it could not be read', async () => {
    const { bert, id } = await shareNote('one-time');
    const { db } = await openSharing({ store: bert.store, home: bert.home });
    await db.updateTable('sharing_received').set({ body: '"mil' }).execute();
    expect(await bert.client.call('inbox', { id })).toMatchObject({ isError: true });
    await db.updateTable('sharing_received').set({ body: '"milk"' }).execute();
    expect((await bert.client.call('inbox', { id })).text).toContain('milk');
  });

  it('one-time: a file is handed over once, and stays for an hour only', async () => {
    const { anna, bert } = await openFriends();
    await anna.putFile('film', 1000);
    const film = { contact: 'Bert', share_type: 'file', item_id: 'film', permissions: 'one-time' };
    await anna.client.call('share', film);
    const [entry] = await arrive(bert);
    const path = pathOf(await bert.client.call('inbox', { id: entry?.['id'] as number }));
    expect(existsSync(path)).toBe(true);
    expect(await readInbox(bert)).toEqual([]);
    await bert.stop();
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    await utimes(path, longAgo, longAgo);
    await bert.start();
    await bert.client.call('sharing_status');
    expect(existsSync(path)).toBe(false);
  });

  it('read-write: an edit comes back to the inbox of the owner and changes nothing by itself', async () => {
    const { anna, bert, id } = await shareNote('read-write');
    const edit = { contact: 'Anna', share_type: 'edit', item_id: String(id), content: 'milk and bread' };
    expect(await bert.client.call('share', edit)).toMatchObject({ isError: false });
    const [entry] = await arrive(anna);
    expect(entry).toMatchObject({ kind: 'edit', share_type: 'note', title: 'List' });
    expect((await anna.client.call('inbox', { id: entry?.['id'] as number })).text).toContain('bread');
  });

  it('read: an edit is refused', async () => {
    const { bert, id } = await shareNote('read');
    const edit = { contact: 'Anna', share_type: 'edit', item_id: String(id), content: 'wine' };
    expect(await bert.client.call('share', edit)).toMatchObject({
      isError: true,
      text: expect.stringContaining('only read-write items'),
    });
  });

  it('revoked: it is gone at the other end, and says so', async () => {
    const { anna, bert, id } = await shareNote('read');
    await anna.client.call('revoke_access', { contact: 'Bert', share_type: 'note', item_id: '1' });
    await until(
      () => readInbox(bert),
      (entries) => entries.length === 0,
    );
    expect(await bert.client.call('inbox', { id })).toMatchObject({
      isError: true,
      text: expect.stringContaining('was revoked by Anna'),
    });
  });

  it('revoked: what was not delivered never arrives, and files are deleted', async () => {
    const { anna, bert } = await openFriends();
    await anna.putFile('film', 200_000);
    await anna.client.call('share', { contact: 'Bert', share_type: 'file', item_id: 'film' });
    const [entry] = await arrive(bert);
    const path = pathOf(await bert.client.call('inbox', { id: entry?.['id'] as number }));
    expect(existsSync(path)).toBe(true);
    await goAway(bert, anna);
    anna.put('note', '1', { title: 'Secret', content: 'sixteen' });
    await anna.client.call('share', { contact: 'Bert', share_type: 'note', item_id: '1' });
    const revoke = { contact: 'Bert', share_type: 'note', item_id: '1' };
    expect((await anna.client.call('revoke_access', revoke)).data).toMatchObject({
      withdrawn: 1,
      revoked: 0,
    });
    await anna.client.call('revoke_access', { contact: 'Bert', share_type: 'file', item_id: 'film' });
    await anna.client.call('send_message', { contact: 'Bert', message: 'last' });
    await bert.start();
    await bert.client.call('sharing_status');
    await settled(anna);
    expect(await readInbox(bert)).toMatchObject([{ content: 'last' }]);
    expect(existsSync(path)).toBe(false);
    expect(await anna.client.call('revoke_access', revoke)).toMatchObject({ isError: true });
  });
});

describe('sharing what cannot be shared', () => {
  it('says where to look', async () => {
    const { anna } = await openFriends();
    const share = (share_type: string) =>
      anna.client.call('share', { contact: 'Bert', share_type, item_id: '3' });
    expect(await share('blog_post')).toMatchObject({
      isError: true,
      text: expect.stringContaining('there is no blog_post "3" to share; list_posts shows'),
    });
    expect(await share('file')).toMatchObject({ text: expect.stringContaining('list_files shows') });
  });
});

describe('limits', () => {
  it('refuse what is larger than a contact takes, and tell why', async () => {
    const { anna, bert } = await openFriends({ maxFileMb: 0.1 });
    await anna.putFile('film', 200_000);
    await anna.client.call('share', { contact: 'Bert', share_type: 'file', item_id: 'film' });
    const { data } = await until(
      () => anna.client.call('sharing_status'),
      (answer) => (answer.data['outbox'] as { failed: number }).failed === 1,
    );
    expect(data['failures']).toEqual([{ contact: 'Bert', title: 'film', reason: 'larger than they take' }]);
    expect(await readInbox(bert)).toEqual([]);
  });

  it('let what finds no room wait, and the rest pass', async () => {
    const { anna, bert } = await openFriends({ quotaMb: 0.1 });
    await anna.putFile('film', 200_000);
    await anna.client.call('share', { contact: 'Bert', share_type: 'file', item_id: 'film' });
    await anna.client.call('send_message', { contact: 'Bert', message: 'fits' });
    expect(await arrive(bert)).toMatchObject([{ content: 'fits' }]);
    const status = async () => (await anna.client.call('sharing_status')).data['outbox'];
    await expect.poll(status).toMatchObject({ waiting: 1, failed: 0 });
  });

  it('are kept by a title of many emoji, none of which is cut in half', async () => {
    const { anna, bert } = await openFriends();
    anna.put('note', '1', { title: '\u{1f9f5}'.repeat(400), content: 'x' });
    await anna.client.call('share', { contact: 'Bert', share_type: 'note', item_id: '1' });
    const [entry] = await arrive(bert);
    expect(entry?.['title']).toBe(`${'\u{1f9f5}'.repeat(249)}…`);
  });

  it('refuse content that no frame could hold before it is queued', async () => {
    const { anna } = await openFriends();
    anna.put('project', '1', { title: 'Everything', content: 'x'.repeat(1_100_000) });
    const answer = await anna.client.call('share', { contact: 'Bert', share_type: 'project', item_id: '1' });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('share a part of it') });
  });
});

describe('the network', () => {
  it('is not touched before there is somebody to reach', async () => {
    const network = createTestNetwork();
    const anna = await openTestPerson({ network: network.open });
    for (const tool of ['sharing_status', 'list_contacts', 'inbox']) await anna.client.call(tool);
    expect(network.opened).toBe(0);
    expect((await anna.client.call('sharing_status')).data).toMatchObject({ network: 'off' });
    await anna.client.call('generate_invite');
    expect(network.opened).toBe(1);
    expect((await anna.client.call('sharing_status')).data).toMatchObject({ network: 'on', open_invites: 1 });
  });

  it('is joined by one of several servers of a store, which delivers for all', async () => {
    const { network, anna, bert } = await openFriends();
    const { createSharingServer } = await import('./server.ts');
    const { openTestClient } = await import('../test-client.contract.ts');
    const second = createSharingServer({ store: anna.store, home: anna.home, network: network.open });
    const client = await openTestClient(second);
    expect((await client.call('sharing_status')).data).toMatchObject({ network: 'elsewhere', online: 1 });
    await client.call('send_message', { contact: 'Bert', message: 'from the second' });
    expect(await arrive(bert)).toMatchObject([{ content: 'from the second' }]);
    expect(network.opened).toBe(2);
    await anna.stop();
    await client.call('sharing_status');
    await second.close();
  });
});

import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STRANGER_LIMIT, UNREAD_LIMIT } from '../limits.ts';
import { readInbox } from '../test-peers.contract.ts';
import { connect, message, newId, openContact, openStage } from '../test-raw-peer.contract.ts';
import { toBytes, toWords } from './frames.ts';

describe('a stranger', () => {
  it('is told that they are one, and nothing they send is kept', async () => {
    const stage = await openStage();
    const raw = await connect(stage, randomBytes(32).toString('hex'));
    raw.say({ t: 'hello', v: 1 });
    raw.say({ t: 'ready' });
    raw.say(message(newId()));
    expect(await raw.hear()).toMatchObject({ t: 'hello' });
    expect(await raw.hear()).toEqual({ t: 'refused', reason: 'stranger' });
    expect(await raw.rest()).toEqual([]);
    expect(await readInbox(stage.anna)).toEqual([]);
  });

  it('is cut off at once for a long first word, and for a wrong one', async () => {
    const stage = await openStage();
    for (const word of [
      toWords({ t: 'hello', v: 1, padding: 'x'.repeat(5_000) }),
      toWords({ t: 'item' }),
      toBytes(newId(), Buffer.alloc(10)),
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    ]) {
      const raw = await connect(stage, randomBytes(32).toString('hex'));
      raw.stream.write(word);
      expect(await raw.rest()).toEqual([{ t: 'hello', v: 1 }]);
    }
  });

  it('does not keep others out by standing at the door: only so many may', async () => {
    const stage = await openStage();
    const crowd = Array.from({ length: STRANGER_LIMIT + 1 }, () =>
      connect(stage, randomBytes(32).toString('hex')),
    );
    const last = (await Promise.all(crowd)).at(-1);
    expect(await last?.hear()).toBeUndefined();
    await openContact(stage);
  });
});

describe('a hostile contact', () => {
  it('gets an item kept once, however often they send it, and each time told so', async () => {
    const stage = await openStage();
    const raw = await openContact(stage);
    const id = newId();
    for (let n = 0; n < 3; n++) {
      raw.say(message(id, `try ${n}`));
      expect(await raw.hear()).toEqual({ t: 'ack', id });
    }
    expect(await readInbox(stage.anna)).toMatchObject([{ content: 'try 0' }]);
  });

  it('is not understood where they say what nobody knows, and goes on afterwards', async () => {
    const stage = await openStage();
    const raw = await openContact(stage);
    const id = newId();
    raw.say({ t: 'dance', id });
    raw.say([1, 2]);
    raw.say(null);
    raw.say(message('../../etc/passwd'));
    raw.say({ t: 'item', id, kind: 'item', type: 'memory', title: 'x' });
    expect(await raw.hear()).toEqual({ t: 'nack', id, reason: 'invalid' });
    raw.say({ t: '__proto__', id });
    raw.say(message(id, 'lone \ud800 and \0'));
    expect(await raw.hear()).toEqual({ t: 'ack', id });
    expect(await readInbox(stage.anna)).toHaveLength(1);
  });

  it('cannot take the program down with bytes', async () => {
    const stage = await openStage();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
        const raw = await openContact(stage);
        raw.stream.end(Buffer.from(bytes));
        await raw.rest();
      }),
      { numRuns: 20 },
    );
    const id = newId();
    const raw = await openContact(stage);
    raw.say(message(id));
    expect(await raw.hear()).toEqual({ t: 'ack', id });
  });

  it('cannot fill the inbox', async () => {
    const stage = await openStage();
    const raw = await openContact(stage);
    const { id: contact_id } = await stage.sharing.db
      .selectFrom('sharing_contacts')
      .select('id')
      .executeTakeFirstOrThrow();
    const row = (n: number) => ({
      principal: 'local',
      contact_id,
      item_id: `${n}`,
      kind: 'message' as const,
      share_type: null,
      title: '',
      permissions: null,
      body: '"x"',
      file_name: null,
      file_sha256: null,
      size: 3,
      state: 'held' as const,
      read_at: null,
      received_at: '',
    });
    await stage.sharing.db
      .insertInto('sharing_received')
      .values(Array.from({ length: UNREAD_LIMIT }, (_, n) => row(n)))
      .execute();
    const id = newId();
    raw.say(message(id));
    expect(await raw.hear()).toEqual({ t: 'nack', id, reason: 'full' });
    await stage.sharing.db.updateTable('sharing_received').set({ read_at: 'now' }).execute();
    raw.say(message(id));
    expect(await raw.hear()).toEqual({ t: 'ack', id });
  });

  it('cannot take the program down with what is nested too deeply to be written down', async () => {
    const stage = await openStage();
    const raw = await openContact(stage);
    const id = newId();
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const item = `{"t":"item","id":"${id}","kind":"item","type":"note","title":"","permissions":"read","content":${deep}}`;
    const head = Buffer.alloc(5);
    head.writeUInt32BE(item.length);
    raw.stream.write(Buffer.concat([head, Buffer.from(item)]));
    expect(await raw.hear()).toMatchObject({ t: 'nack', id });
    raw.say(message(id));
    expect(await raw.hear()).toEqual({ t: 'ack', id });
  });

  it('cannot edit what was not shared for it', async () => {
    const stage = await openStage();
    const raw = await openContact(stage);
    stage.anna.put('note', '1', { title: 'List', content: 'milk' });
    const edit = async (of: string) => {
      const id = newId();
      raw.say({ t: 'item', id, kind: 'edit', of, content: 'wine' });
      return { ...((await raw.hear()) as object), id: undefined };
    };
    expect(await edit(newId())).toMatchObject({ t: 'nack', reason: 'not_allowed' });
    for (const [permissions, t] of [
      ['read', 'nack'],
      ['read-write', 'ack'],
    ]) {
      const share = { contact: 'Mallory', share_type: 'note', item_id: '1', permissions };
      await stage.anna.client.call('share', share);
      const { id } = (await raw.hear()) as { id: string };
      raw.say({ t: 'ack', id });
      expect(await edit(id)).toMatchObject({ t });
    }
  });

  it('has taken back what they revoke before it arrives', async () => {
    const stage = await openStage();
    const raw = await openContact(stage);
    const [id, revoke] = [newId(), newId()];
    raw.say({ t: 'item', id: revoke, kind: 'revoke', of: id });
    expect(await raw.hear()).toEqual({ t: 'ack', id: revoke });
    raw.say({ t: 'item', id, kind: 'item', type: 'note', title: 't', permissions: 'read', content: 'late' });
    expect(await raw.hear()).toEqual({ t: 'ack', id });
    expect(await readInbox(stage.anna)).toEqual([]);
  });

  it('has a file shown only when it is what was promised, and nothing lies outside its folder', async () => {
    const stage = await openStage();
    const raw = await openContact(stage);
    const [id, good] = [newId(), Buffer.from('good bytes')];
    const sha256 = createHash('sha256').update(good).digest('hex');
    const file = { name: '../../../evil\n', size: good.length, sha256 };
    raw.say({
      t: 'item',
      id,
      kind: 'item',
      type: 'file',
      title: 'f',
      permissions: 'read',
      content: {},
      file,
    });
    expect(await raw.hear()).toEqual({ t: 'want', id, offset: 0 });
    raw.stream.write(toBytes(id, Buffer.alloc(1000)));
    raw.stream.write(toBytes(newId(), good));
    raw.stream.write(toBytes(id, Buffer.from('evil bytes')));
    raw.say({ t: 'end', id });
    expect(await raw.hear()).toEqual({ t: 'want', id, offset: 0 });
    expect(await readInbox(stage.anna)).toEqual([]);
    raw.stream.write(toBytes(id, Buffer.alloc(1000)));
    raw.stream.write(toBytes(id, good));
    raw.say({ t: 'end', id });
    expect(await raw.hear()).toEqual({ t: 'ack', id });
    expect(await readInbox(stage.anna)).toMatchObject([{ file: { name: '../../../evil', sha256 } }]);
    const folder = join(stage.anna.home, 'sharing');
    expect((await readdir(folder, { recursive: true })).sort()).toEqual(
      ['arriving', 'received', join('received', `${sha256}-1-${id}`)].sort(),
    );
  });
});

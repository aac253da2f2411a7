/** Two whole gateways that share with one another, over a hash table on this machine. */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import createTestnet from '@hyperswarm/testnet';
import HyperDHT from 'hyperdht';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openSharing } from '../../src/builtin/sharing/context.ts';
import { type Identity, toIdentity } from '../../src/builtin/sharing/identity.ts';
import { createSecret, toInviteCode } from '../../src/builtin/sharing/invites.ts';
import type { NetworkPlace } from '../../src/builtin/sharing/network/network.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { openStore } from '../../src/store/open.ts';
import { eventually } from '../support/program.ts';
import {
  type Answer,
  countUdpSockets,
  createGatewayPerson,
  type GatewayPerson,
  hasLoadedNetwork,
  readPeakMb,
} from './gateway-person.ts';

const HOST = '127.0.0.1';
const FILE_BYTES = 50 * 1024 * 1024;
const ARRIVES_MS = 150_000;

/** `ENDURE_FULL=1` kills as often as the promise says. */
const KILLS = process.env['ENDURE_FULL'] === undefined ? 8 : 50;
/** Between the start of a gateway and its end. */
const LONGEST_LIFE_MS = 1_200;
/** More than there is time for, and fewer than may wait unread at the other end. */
const MESSAGES_IN_A_LIFE = 150;
const KILL_FILE_BYTES = 3_000_000;

let testnet: Awaited<ReturnType<typeof createTestnet>>;
let network: NetworkPlace;

beforeAll(async () => {
  testnet = await createTestnet(3, { host: HOST });
  network = { bootstrap: testnet.bootstrap, host: HOST };
});

afterAll(() => testnet.destroy());

async function openPerson(mode: 'direct' | 'category'): Promise<GatewayPerson> {
  const person = await createGatewayPerson(mode, network);
  onTestFinished(() => person[Symbol.asyncDispose]());
  await person.start();
  return person;
}

interface Entry {
  readonly id: number;
  readonly from: string;
  readonly kind: string;
  readonly share_type?: string;
  readonly title?: string;
  readonly content?: string;
  readonly file?: { readonly sha256: string; readonly path?: string };
}

/** The call has to succeed; its data. */
async function ask(person: GatewayPerson, tool: string, args: JsonObject = {}): Promise<JsonObject> {
  const answer = await person.call('sharing', tool, args);
  if (answer.isError) throw new Error(answer.text);
  return answer.data;
}

const inboxOf = async (person: GatewayPerson) =>
  (await ask(person, 'inbox', { limit: 100 }))['entries'] as unknown as Entry[];
const readEntry = async (person: GatewayPerson, id: number) =>
  ((await ask(person, 'inbox', { id }))['entries'] as unknown as [Entry])[0];
const invite = async (person: GatewayPerson, name: string) =>
  String((await ask(person, 'generate_invite', { display_name: name }))['invite_code']);
const accept = (person: GatewayPerson, invite_code: string, display_name = 'Anna'): Promise<Answer> =>
  person.call('sharing', 'accept_invite', { invite_code, display_name });
const contactsOf = async (person: GatewayPerson) =>
  (await ask(person, 'list_contacts'))['contacts'] as unknown as {
    readonly name: string;
    readonly id: string;
    readonly safety_number: string;
  }[];

const settled = (person: GatewayPerson) =>
  eventually(
    'everything was delivered',
    async () => ((await ask(person, 'sharing_status'))['outbox'] as { waiting: number }).waiting === 0,
    ARRIVES_MS,
  );
const online = (person: GatewayPerson, count: number) =>
  eventually(
    `${count} online`,
    async () => (await ask(person, 'sharing_status'))['online'] === count,
    ARRIVES_MS,
  );

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}
const toDigest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const filesOf = ({ home }: GatewayPerson, place: string) =>
  readdir(join(home, 'sharing', place)).catch(() => [] as string[]);

/** Writes into the tables of somebody's gateway while it runs. */
async function withTables(
  { home }: GatewayPerson,
  change: (sharing: Awaited<ReturnType<typeof openSharing>>) => Promise<unknown>,
): Promise<void> {
  await using store = await openStore(join(home, 'thimble.db'));
  await change(await openSharing({ store, home, cipher: store.cipher }));
}

async function identityOf(person: GatewayPerson): Promise<Identity> {
  let found: Identity | undefined;
  await withTables(person, async (sharing) => {
    found = await sharing.identity();
  });
  return found!;
}

/** Dials somebody under a key, without a gateway: `open`, or the code of the fault. */
async function dial({ pair }: Identity, to: Identity): Promise<string> {
  const dht = new HyperDHT({ ...network, firewalled: false });
  const stream = dht.connect(to.pair.publicKey, { keyPair: pair });
  const outcome = await new Promise<string>((resolve) => {
    stream.once('open', () => resolve('open'));
    stream.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? String(error)));
  });
  stream.on('error', () => {});
  stream.destroy();
  await dht.destroy();
  return outcome;
}

describe('two gateways', () => {
  it('share everything there is with somebody who was away, once, and take it back', async () => {
    const anna = await openPerson('direct');
    const bert = await openPerson('category');

    const accepted = await accept(bert, await invite(anna, 'Bert'));
    expect(accepted.text).toContain('Connected');
    const [[atAnna], [atBert]] = [await contactsOf(anna), await contactsOf(bert)];
    expect([atAnna?.name, atBert?.name]).toEqual(['Bert', 'Anna']);
    expect(atAnna?.safety_number).toMatch(/^(\d{5} ){7}\d{5}$/);
    expect(atBert?.safety_number).toBe(atAnna?.safety_number);
    await ask(anna, 'send_message', { contact: 'Bert', message: 'hello Bert' });
    await ask(bert, 'send_message', { contact: 'Anna', message: 'hello Anna' });
    await Promise.all([settled(anna), settled(bert)]);
    expect(await inboxOf(anna)).toMatchObject([{ from: 'Bert', content: 'hello Anna' }]);
    expect(await inboxOf(bert)).toMatchObject([{ from: 'Anna', content: 'hello Bert' }]);

    await bert.stop();
    await online(anna, 0);
    const film = randomBytes(FILE_BYTES);
    const uploading = performance.now();
    const key = (await anna.upload('film.bin', film)) ?? '';
    const uploadMs = performance.now() - uploading;
    const uploadPeak = await readPeakMb(anna.pid);
    const keep = async (server: string, tool: string, args: JsonObject) =>
      String((await anna.call(server, tool, args)).data['id']);
    const memory = await keep('memory', 'store_memory', { content: 'Bert likes green tea' });
    const secret = await keep('memory', 'store_memory', { content: 'the word is heron' });
    const note = await keep('projects', 'add_note', { title: 'Tides', content: 'twice a day' });
    const post = await keep('blog', 'create_post', {
      title: 'Spring',
      content: '# Spring\n\nIt is here.',
      visibility: 'peers',
    });
    await anna.call('blog', 'publish_post', { id: Number(post) });
    for (const [share_type, item_id, permissions] of [
      ['memory', memory, 'read'],
      ['memory', secret, 'one-time'],
      ['file', key, 'read'],
      ['note', note, 'read-write'],
      ['blog_post', post, 'read'],
    ] as const)
      expect(await ask(anna, 'share', { contact: 'Bert', share_type, item_id, permissions })).toMatchObject({
        online: false,
      });
    const sent = await anna.call('blog', 'share_post', { id: Number(post), contact: 'Bert' });
    expect(sent).toMatchObject({ isError: false, data: { contact: 'Bert' } });

    // Nobody asks Bert's gateway for anything until all of it is there.
    const starting = performance.now();
    await bert.start();
    const started = performance.now();
    await settled(anna);
    const deliveryMs = performance.now() - started;
    console.info(
      `50 MB: upload ${uploadMs.toFixed(0)} ms, start ${(started - starting).toFixed(0)} ms, six items delivered ${deliveryMs.toFixed(0)} ms later; peak memory ${uploadPeak} MB with the upload, ${await readPeakMb(anna.pid)} and ${await readPeakMb(bert.pid)} MB in the end`,
    );
    const items = (await inboxOf(bert)).filter(({ kind }) => kind === 'item');
    const found = (type: string, title?: string) =>
      items.find((item) => item.share_type === type && (title === undefined || item.title === title))!;
    expect(items.map(({ share_type, title }) => `${share_type} ${title}`).sort()).toEqual([
      'blog_post Spring',
      'blog_post Spring',
      'file film.bin',
      'memory Bert likes green tea',
      'memory the word is heron',
      'note Tides',
    ]);
    expect((await readEntry(bert, found('memory', 'Bert likes green tea').id)).content).toContain(
      'green tea',
    );
    expect((await readEntry(bert, found('note').id)).content).toContain('twice a day');
    expect((await readEntry(bert, found('blog_post').id)).content).toContain('It is here.');
    const path = (await readEntry(bert, found('file').id)).file?.path ?? '';
    expect(await hashFile(path)).toBe(toDigest(film));
    expect(await filesOf(anna, 'outgoing')).toEqual([]);
    expect(await filesOf(bert, 'arriving')).toEqual([]);

    const once = found('memory', 'the word is heron').id;
    expect((await readEntry(bert, once)).content).toContain('heron');
    expect(await bert.call('sharing', 'inbox', { id: once })).toMatchObject({
      isError: true,
      text: expect.stringContaining('could be read once, and was'),
    });

    const edit = { contact: 'Anna', share_type: 'edit', content: 'twice a day, and a bit later each day' };
    expect(
      await bert.call('sharing', 'share', { ...edit, item_id: String(found('blog_post').id) }),
    ).toMatchObject({ isError: true, text: expect.stringContaining('only read-write items') });
    await ask(bert, 'share', { ...edit, item_id: String(found('note').id) });
    await settled(bert);
    const back = (await inboxOf(anna)).filter(({ kind }) => kind === 'edit');
    expect(back).toMatchObject([{ from: 'Bert', share_type: 'note', title: 'Tides' }]);
    expect((await readEntry(anna, back[0]!.id)).content).toBe(edit.content);

    const revoking = performance.now();
    for (const [share_type, item_id] of [
      ['file', key],
      ['memory', memory],
      ['blog_post', post],
    ] as const)
      await ask(anna, 'revoke_access', { contact: 'Bert', share_type, item_id });
    await settled(anna);
    console.info(`revoked ${(performance.now() - revoking).toFixed(0)} ms after it was asked for`);
    expect(existsSync(path)).toBe(false);
    expect(await filesOf(bert, 'received')).toEqual([]);
    for (const { id, share_type } of items.filter((item) => item.share_type !== 'note' && item.id !== once))
      expect(await bert.call('sharing', 'inbox', { id }), share_type).toMatchObject({
        isError: true,
        text: expect.stringContaining('was revoked by Anna'),
      });
    const left = (await inboxOf(bert)).filter(({ kind }) => kind === 'item');
    expect(left.map(({ share_type }) => share_type)).toEqual(['note']);
  });

  it('refuse invites that were used, have expired, were altered or are of somebody else', async () => {
    const anna = await openPerson('direct');
    const bert = await openPerson('category');
    const used = await invite(anna, 'Bert');
    expect((await accept(bert, used)).isError).toBe(false);
    const carl = await openPerson('direct');
    const refused = async (code: string, reason: string, by = carl) =>
      expect(await accept(by, code)).toMatchObject({ isError: true, text: expect.stringContaining(reason) });

    await refused(used, 'was used already');
    const expired = await invite(anna, 'Carl');
    await withTables(anna, ({ db }) =>
      db
        .updateTable('sharing_invites')
        .set({ expires_at: Date.now() })
        .where('used_at', 'is', null)
        .execute(),
    );
    await refused(expired, 'has expired');
    const stranger = toIdentity(randomBytes(32));
    const old = toInviteCode(stranger, { secret: createSecret(), expiresAt: Date.now() - 1 });
    await refused(old, `from ${stranger.fingerprint} has expired`);

    const open = await invite(anna, 'Carl');
    const [head = '', body = '', signature = ''] = open.split('.');
    const other = body[40] === 'A' ? 'B' : 'A';
    await refused(
      [head, `${body.slice(0, 40)}${other}${body.slice(41)}`, signature].join('.'),
      'was altered',
    );
    const signed = stranger.sign(`${head}.${body}`).toString('base64url');
    await refused([head, body, signed].join('.'), 'signed by somebody else');
    await refused(`${head}.${body}`, 'is not one of this program');
    await refused(open, 'is your own', anna);

    const forgotten = await invite(anna, 'Carl');
    await withTables(anna, ({ db }) =>
      db.deleteFrom('sharing_invites').where('used_at', 'is', null).execute(),
    );
    await refused(forgotten, 'is not known to whoever made it');
    expect(await contactsOf(carl)).toEqual([]);
    expect((await contactsOf(anna)).map(({ name }) => name)).toEqual(['Bert']);
    expect((await accept(carl, await invite(anna, 'Carl'))).text).toContain('Connected');
  });

  it('cannot be reached by whom they blocked', async () => {
    const anna = await openPerson('direct');
    const bert = await openPerson('category');
    await accept(bert, await invite(anna, 'Bert'));
    // Somebody else is invited, so the network stays joined.
    await invite(anna, 'Carl');
    await ask(anna, 'revoke_access', { contact: 'Bert', block: true });
    await online(bert, 0);
    await ask(bert, 'send_message', { contact: 'Anna', message: 'let me in' });
    const [atAnna, atBert] = [await identityOf(anna), await identityOf(bert)];
    // The handshake is not answered; to somebody unknown it is, so it is the block that closes the way.
    expect(await dial(atBert, atAnna)).toBe('PEER_CONNECTION_FAILED');
    await expect.poll(() => dial(toIdentity(randomBytes(32)), atAnna), { timeout: 90_000 }).toBe('open');
    expect(await ask(anna, 'sharing_status')).toMatchObject({ network: 'on', online: 0, blocked: 1 });
    expect(await inboxOf(anna)).toEqual([]);
    expect((await anna.call('sharing', 'send_message', { contact: 'Bert', message: 'no' })).text).toContain(
      'Bert is blocked',
    );
    await ask(anna, 'revoke_access', { contact: 'Bert', block: false });
    await settled(bert);
    expect(await inboxOf(anna)).toMatchObject([{ from: 'Bert', content: 'let me in' }]);
  });
});

function hasTable({ home }: GatewayPerson, name: string): boolean {
  const database = new Database(join(home, 'thimble.db'), { readonly: true });
  const found = database.prepare('select 1 from sqlite_master where name = ?').get(name);
  database.close();
  return found !== undefined;
}

describe('a gateway that never shared anything', () => {
  it('opens no UDP socket and loads nothing of the network, though sharing is on', async () => {
    const anna = await openPerson('direct');
    await anna.call('memory', 'store_memory', { content: 'nobody else knows' });
    await eventually('sharing looked in the background whether there is somebody', () =>
      hasTable(anna, 'sharing_contacts'),
    );
    expect(await ask(anna, 'sharing_status')).toMatchObject({ network: 'off', contacts: 0 });
    await ask(anna, 'list_contacts');
    await ask(anna, 'inbox');
    expect(await countUdpSockets(anna.pid)).toBe(0);
    expect(await hasLoadedNetwork(anna.pid)).toBe(false);

    await ask(anna, 'generate_invite');
    await eventually('the network is joined', async () => (await countUdpSockets(anna.pid)) > 0);
    expect(await hasLoadedNetwork(anna.pid)).toBe(true);
  });
});

/** One side of a conversation between gateways that are killed. */
interface Side {
  readonly person: GatewayPerson;
  readonly to: string;
  /** Said to be sent. */
  readonly promised: Set<string>;
  /** Asked to be sent; the gateway was killed before it said anything. */
  readonly unsure: Set<string>;
  /** The digests of files by name. */
  readonly files: Map<string, string>;
}

const createSide = (person: GatewayPerson, to: string): Side => ({
  person,
  to,
  promised: new Set(),
  unsure: new Set(),
  files: new Map(),
});

async function give({ person, to, promised, unsure }: Side, name: string, tool: string, args: JsonObject) {
  const answer = await person.tryCall('sharing', tool, { contact: to, ...args });
  if (answer?.isError) throw new Error(answer.text);
  (answer === undefined ? unsure : promised).add(name);
}

const say = (side: Side, text: string) => give(side, text, 'send_message', { message: text });

/** Uploads before anything is killed, so that it is the sharing that is interrupted. */
async function uploadFile({ person, files }: Side, name: string): Promise<string> {
  const bytes = randomBytes(KILL_FILE_BYTES);
  files.set(name, toDigest(bytes));
  return (await person.upload(name, bytes)) ?? '';
}

/** Lets both talk for a random while, and kills one of them in the middle of it. */
async function liveAndDie(sides: readonly [Side, Side], kill: number): Promise<void> {
  const giver = sides[kill % 2] as Side;
  const victim = sides[Math.random() < 0.5 ? 0 : 1] as Side;
  const file = kill % 4 < 2 ? `file-${kill}` : undefined;
  const item_id = file && (await uploadFile(giver, file));
  // Short lives are more frequent: most happens at the beginning.
  const end = performance.now() + Math.random() ** 2 * LONGEST_LIFE_MS;
  const killing = new Promise((resolve) => setTimeout(resolve, end - performance.now())).then(() =>
    victim.person.kill(),
  );
  const sharing =
    file && item_id ? give(giver, file, 'share', { share_type: 'file', item_id }) : Promise.resolve();
  for (let n = 0; n < MESSAGES_IN_A_LIFE && performance.now() < end; n++)
    await Promise.all(sides.map((side) => say(side, `${kill}-${n}`)));
  await Promise.all([sharing, killing]);
  await victim.person.start();
  await Promise.all(sides.map(({ person }) => readMessages(person)));
}

/** Makes room for more: what was listed counts as read. */
async function readMessages(person: GatewayPerson): Promise<void> {
  const list = async () =>
    (await ask(person, 'inbox', { unread_only: true, limit: 100 }))['entries'] as unknown as Entry[];
  let listed = await list();
  while (listed.some(({ kind }) => kind === 'message')) listed = await list();
}

/** What one side sent, against what lies at the other; how much that is. */
async function compare({ promised, unsure, files }: Side, receiver: GatewayPerson): Promise<number> {
  let arrived: string[] = [];
  await withTables(receiver, async ({ db }) => {
    const rows = await db.selectFrom('sharing_received').selectAll().orderBy('id').execute();
    expect(rows.filter(({ state }) => state !== 'held')).toEqual([]);
    arrived = rows.map(({ kind, title, body }) =>
      kind === 'message' ? String(JSON.parse(body ?? '')) : title,
    );
    for (const row of rows.filter(({ file_sha256 }) => file_sha256 !== null)) {
      const name = `${row.file_sha256}-${row.contact_id}-${row.item_id}`;
      const digest = await hashFile(join(receiver.home, 'sharing', 'received', name));
      expect(digest).toBe(files.get(row.title));
    }
  });
  expect(new Set(arrived).size).toBe(arrived.length);
  expect([...promised].filter((text) => !arrived.includes(text))).toEqual([]);
  expect(arrived.filter((text) => !promised.has(text) && !unsure.has(text))).toEqual([]);
  expect(promised.size).toBeGreaterThan(KILLS / 2);
  return arrived.length;
}

describe('gateways that are killed at random moments', () => {
  it('lose nothing and double nothing', { timeout: 900_000 }, async () => {
    const anna = await openPerson('direct');
    const bert = await openPerson('category');
    expect((await accept(bert, await invite(anna, 'Bert'))).text).toContain('Connected');
    const sides = [createSide(anna, 'Bert'), createSide(bert, 'Anna')] as const;
    const began = performance.now();
    for (let kill = 0; kill < KILLS; kill++) await liveAndDie(sides, kill);
    const calm = performance.now();
    await Promise.all([settled(anna), settled(bert)]);
    const settledMs = performance.now() - calm;
    await Promise.all([anna.stop(), bert.stop()]);
    const [fromAnna, fromBert] = sides;
    const counts = [await compare(fromAnna, bert), await compare(fromBert, anna)];
    const filesSent = fromAnna.files.size + fromBert.files.size;
    const unsure = fromAnna.unsure.size + fromBert.unsure.size;
    console.info(
      `${KILLS} kills in ${((calm - began) / 1000).toFixed(1)} s, calm ${(settledMs / 1000).toFixed(1)} s later: ${counts.join(' and ')} arrived, each once, ${filesSent} files of ${KILL_FILE_BYTES / 1e6} MB among them; ${unsure} were asked for without an answer`,
    );
  });
});

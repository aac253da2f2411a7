/** Two people who share, killed again and again: nothing is lost, nothing comes twice. */
import { createHash, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import createTestnet from '@hyperswarm/testnet';
import { expect, it, onTestFinished, vi } from 'vitest';
import { MIGRATIONS, OWNER } from '../../src/builtin/sharing/migrations.ts';
import type { SharingTables } from '../../src/builtin/sharing/tables.ts';
import { openStore } from '../../src/store/open.ts';
import { buildPeer, createPeerProgram, type PeerProgram } from './peer-program.ts';

const KILLS = 50;
const FILE_EVERY = 5;
const FILE_BYTES = 3_000_000;
/** Between the start of a program and its end. */
const LONGEST_LIFE_MS = 250;
/** Fewer in all than may wait unread at the other end. */
const MESSAGES_IN_A_LIFE = 14;

interface Side {
  readonly peer: PeerProgram;
  readonly to: string;
  /** Said to be sent. */
  readonly promised: Set<string>;
  /** Asked to be sent; the program was killed before it said anything. */
  readonly unsure: Set<string>;
}

it('loses nothing and doubles nothing when both are killed at random moments', {
  timeout: 900_000,
}, async () => {
  const testnet = await createTestnet(3, { host: '127.0.0.1' });
  const program = await buildPeer();
  const network = { bootstrap: testnet.bootstrap, host: '127.0.0.1' };
  const anna = await createPeerProgram(program.path, network);
  const bert = await createPeerProgram(program.path, network);
  onTestFinished(async () => {
    await anna.remove();
    await bert.remove();
    await program[Symbol.asyncDispose]();
    await testnet.destroy();
  });
  await Promise.all([anna.start(), bert.start()]);
  await introduce(anna, bert);
  const sides: readonly [Side, Side] = [
    { peer: anna, to: 'Bert', promised: new Set(), unsure: new Set() },
    { peer: bert, to: 'Anna', promised: new Set(), unsure: new Set() },
  ];

  for (let kill = 0; kill < KILLS; kill++) {
    if (kill % FILE_EVERY === 0) await shareFile(sides[(kill / FILE_EVERY) % 2] as Side, `file-${kill}`);
    // However slow the machine is, something is said in every life.
    await Promise.all(sides.map((side) => send(side, `${kill}-first`)));
    const life = Math.random() * LONGEST_LIFE_MS;
    const victim = sides[Math.random() < 0.5 ? 0 : 1] as Side;
    const end = performance.now() + life;
    const killing = new Promise((resolve) => setTimeout(resolve, life)).then(() => victim.peer.kill());
    for (let n = 0; n < MESSAGES_IN_A_LIFE && performance.now() < end; n++)
      await Promise.all(sides.map((side) => send(side, `${kill}-${n}`)));
    await killing;
    await victim.peer.start();
  }

  await Promise.all(sides.map(({ peer }) => settled(peer)));
  await Promise.all(sides.map(({ peer }) => peer.stop()));
  const [fromAnna, fromBert] = sides;
  await compare(fromAnna, bert);
  await compare(fromBert, anna);
});

async function introduce(anna: PeerProgram, bert: PeerProgram): Promise<void> {
  const invite = await anna.call('generate_invite', { display_name: 'Bert' });
  const accepted = await bert.call('accept_invite', {
    invite_code: String(invite?.data['invite_code']),
    display_name: 'Anna',
  });
  expect(accepted?.text).toContain('Connected');
}

async function send({ peer, to, promised, unsure }: Side, text: string): Promise<void> {
  const answer = await peer.call('send_message', { contact: to, message: text });
  if (answer?.isError) throw new Error(answer.text);
  (answer === undefined ? unsure : promised).add(text);
}

async function shareFile({ peer, to, promised, unsure }: Side, name: string): Promise<void> {
  await writeFile(join(peer.home, 'shelf', name), randomBytes(FILE_BYTES));
  const answer = await peer.call('share', { contact: to, share_type: 'file', item_id: name });
  if (answer?.isError) throw new Error(answer.text);
  (answer === undefined ? unsure : promised).add(name);
}

async function settled(peer: PeerProgram): Promise<void> {
  const isDone = async () => {
    const status = await peer.call('sharing_status');
    return (status?.data['outbox'] as { waiting: number } | undefined)?.waiting === 0;
  };
  await vi.waitUntil(isDone, { timeout: 300_000, interval: 50 });
}

/** What one side sent, against what lies in the store of the other. */
async function compare({ peer, promised, unsure }: Side, receiver: PeerProgram): Promise<void> {
  await using store = await openStore(join(receiver.home, 'thimble.db'));
  const { db } = await store.tables<SharingTables>(OWNER, MIGRATIONS);
  const rows = await db.selectFrom('sharing_received').selectAll().orderBy('id').execute();
  expect(rows.filter(({ state }) => state !== 'held')).toEqual([]);
  const arrived = rows.map(({ kind, title, body }) =>
    kind === 'message' ? String(JSON.parse(body ?? '')) : title,
  );
  expect(new Set(arrived).size).toBe(arrived.length);
  expect([...promised].filter((text) => !arrived.includes(text))).toEqual([]);
  expect(arrived.filter((text) => !promised.has(text) && !unsure.has(text))).toEqual([]);
  expect(promised.size).toBeGreaterThanOrEqual(KILLS);
  for (const row of rows.filter(({ file_sha256 }) => file_sha256 !== null)) {
    const name = `${row.file_sha256}-${row.contact_id}-${row.item_id}`;
    const received = await readFile(join(receiver.home, 'sharing', 'received', name));
    const sent = await readFile(join(peer.home, 'shelf', row.title));
    expect(toDigest(received)).toBe(toDigest(sent));
  }
}

function toDigest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

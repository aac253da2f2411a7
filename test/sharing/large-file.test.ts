/** Fifty megabytes to somebody who was away: they arrive whole, memory stays flat, and they can be taken back. */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import createTestnet from '@hyperswarm/testnet';
import { expect, it, onTestFinished, vi } from 'vitest';
import { buildPeer, createPeerProgram, type PeerProgram } from './peer-program.ts';

const MEGABYTE = 1024 * 1024;
const FILE_MB = 50;
/** What the transfer may add to either program. */
const GROWTH_MB = 64;

it('arrives whole with flat memory, and is gone once it was revoked', {
  timeout: 600_000,
  retry: 1,
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
  const invite = await anna.call('generate_invite', { display_name: 'Bert' });
  const accepted = await bert.call('accept_invite', { invite_code: String(invite?.data['invite_code']) });
  expect(accepted?.text).toContain('Connected');
  await bert.stop();
  const isAway = async () => (await anna.call('sharing_status'))?.data['online'] === 0;
  await vi.waitUntil(isAway, { timeout: 120_000, interval: 20 });

  const film = join(anna.home, 'shelf', 'film');
  for (let n = 0; n < FILE_MB; n++) await appendFile(film, randomBytes(MEGABYTE));
  const before = await anna.call('rss');
  for (const [share_type, item_id] of [
    ['file', 'film'],
    ['memory', '7'],
  ]) {
    const shared = await anna.call('share', { contact: 'Bert', share_type, item_id });
    expect(shared?.text).toContain('waits until they are online');
  }
  await bert.start();
  const fresh = await bert.call('rss');
  await vi.waitUntil(async () => (await inboxOf(bert)).length === 2, { timeout: 240_000, interval: 20 });
  for (const [peer, start] of [
    [anna, before],
    [bert, fresh],
  ] as const) {
    const after = await peer.call('rss');
    expect(((after?.peak ?? 0) - (start?.now ?? 0)) / MEGABYTE).toBeLessThan(GROWTH_MB);
  }

  const { id } = (await inboxOf(bert)).find(({ title }) => title === 'film') ?? { id: 0 };
  const read = await bert.call('inbox', { id });
  const [entry = undefined] = (read?.data['entries'] ?? []) as { file: { path: string } }[];
  const path = entry?.file.path ?? '';
  expect(await hashFile(path)).toBe(await hashFile(film));
  await anna.call('revoke_access', { contact: 'Bert', share_type: 'file', item_id: 'film' });
  await vi.waitUntil(() => !existsSync(path), { timeout: 120_000, interval: 20 });
  const gone = await bert.call('inbox', { id });
  expect(gone).toMatchObject({ isError: true, text: expect.stringContaining('was revoked') });
  expect(await inboxOf(bert)).toMatchObject([{ title: 'memory 7' }]);
});

async function inboxOf(peer: PeerProgram): Promise<{ readonly id: number; readonly title: string }[]> {
  const answer = await peer.call('inbox');
  return answer?.data['entries'] as { id: number; title: string }[];
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

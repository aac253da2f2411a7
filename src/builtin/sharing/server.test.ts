import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openStore } from '../../store/open.ts';
import { runBuiltinContract } from '../builtin.contract.ts';
import type { BuiltinParts } from '../builtin.ts';
import { openTestClient } from '../test-client.contract.ts';
import { toIdentity } from './identity.ts';
import { createSecret, toInviteCode } from './invites.ts';
import type { OpenNetwork, PeerStream } from './network/network.ts';
import { readFrames, toWords } from './peer/frames.ts';
import { createSharingServer } from './server.ts';
import { createStreamPair, createTestNetwork } from './test-network.contract.ts';
import { SHARING_TOOLS } from './tools.ts';

const friend = toIdentity(randomBytes(32));
const invite_code = toInviteCode(friend, { secret: createSecret(), expiresAt: Date.now() + 3_600_000 });

/** A network with one person on it, who lets everybody in and takes everything. */
const openFriendly: OpenNetwork = async (_, events) => ({
  dial(key) {
    if (key !== friend.key) return;
    const [ours, theirs] = createStreamPair();
    void agree(theirs);
    events.connected(key, ours);
  },
  forget() {},
  async [Symbol.asyncDispose]() {},
});

async function agree(stream: PeerStream): Promise<void> {
  stream.write(toWords({ t: 'hello', v: 1, name: 'Friend' }));
  stream.write(toWords({ t: 'ready', name: 'Friend' }));
  for await (const frame of readFrames(stream, () => 1_000_000)) {
    const { t, id } = (frame.kind === 'words' ? frame.value : {}) as { t?: string; id?: string };
    if (t === 'item') stream.write(toWords({ t: 'ack', id }));
  }
}

const create = (parts: BuiltinParts) =>
  createSharingServer({
    ...parts,
    network: openFriendly,
    items: { read: async (_, id) => (id === '1' ? { title: 'Tea', content: 'green' } : undefined) },
  });

runBuiltinContract({
  name: 'sharing',
  tools: SHARING_TOOLS,
  create,
  isReference: (parameter) => ['contact', 'item_id', 'id'].includes(parameter),
  examples: [
    ['sharing_status', {}],
    ['generate_invite', { display_name: 'Somebody' }],
    ['accept_invite', { invite_code, display_name: 'Friend' }],
    ['list_contacts', {}],
    ['send_message', { contact: 'Friend', message: 'hello' }],
    ['share', { contact: 'Friend', share_type: 'memory', item_id: '1' }],
    ['revoke_access', { contact: 'Friend', share_type: 'memory', item_id: '1' }],
    ['inbox', {}],
  ],
  unknown: {
    share: { contact: 'Nobody', share_type: 'memory', item_id: '1' },
    send_message: { contact: 'Nobody', message: 'hello' },
    revoke_access: { contact: 'Nobody', block: true },
    inbox: { id: 99 },
  },
});

describe('the sharing server', () => {
  it('has a guide for people', async () => {
    const client = await openTestClient(create({ store: createMemoryStore() }));
    const guide = await client.request('prompts/get', { name: 'sharing-guide' });
    for (const { name } of SHARING_TOOLS) expect(JSON.stringify(guide)).toContain(name);
  });

  it('refuses options it does not know', async () => {
    const client = await openTestClient(create({ store: createMemoryStore(), options: { nam: 'x' } }));
    expect(await client.call('sharing_status')).toMatchObject({
      isError: true,
      text: expect.stringContaining('options of sharing'),
    });
  });

  it('shares one node among all links where somebody keeps it, and closing a link leaves it be', async () => {
    const network = createTestNetwork();
    const kept = new Map<string, AsyncDisposable>();
    const keep = <T extends AsyncDisposable>(name: string, make: () => T): T => {
      const found = (kept.get(name) as T | undefined) ?? make();
      kept.set(name, found);
      return found;
    };
    const parts = { store: createMemoryStore(), network: network.open, keep };
    const [one, two] = [createSharingServer(parts), createSharingServer(parts)];
    const clients = [await openTestClient(one), await openTestClient(two)];
    for (const client of clients) await client.call('generate_invite');
    expect(network.opened).toBe(1);
    await one.close();
    expect((await clients[1]?.call('sharing_status'))?.data).toMatchObject({ network: 'on' });
    expect(kept.size).toBe(1);
    for (const node of kept.values()) await node[Symbol.asyncDispose]();
  });

  it('is the same person after a restart on a file, with the key file of the home', async () => {
    const home = await mkdtemp(join(tmpdir(), 'thimble-sharing-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const ids: unknown[] = [];
    for (let n = 0; n < 2; n++) {
      await using store = await openStore(join(home, 'thimble.db'));
      const client = await openTestClient(create({ store, home }));
      ids.push((await client.call('sharing_status')).data['id']);
    }
    expect(ids[0]).toBe(ids[1]);
  });
});

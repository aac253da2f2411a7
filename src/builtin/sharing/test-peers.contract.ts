/** People of a test: each with a store, a home, things to share and a client of their sharing server. */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { createMemoryStore } from '../../store/memory-store.ts';
import type { Store } from '../../store/store.ts';
import type { SharedItem, SharedItems } from '../shared-item.ts';
import { openTestClient, type TestClient } from '../test-client.contract.ts';
import type { SharingParts } from './context.ts';
import { createSharingServer, type SharingServer } from './server.ts';

/** One person. */
export interface TestPerson {
  readonly client: TestClient;
  readonly home: string;
  readonly store: Store;
  /** Puts something on the shelf to share. */
  put(kind: string, id: string, item: SharedItem): void;
  /** Puts a file of random bytes on the shelf, and tells its digest. */
  putFile(id: string, size: number): Promise<string>;
  /** Ends the server, as a program that is closed. */
  stop(): Promise<void>;
  /** Starts it again on the same store and home. */
  start(): Promise<void>;
}

/** Opens a person; everything is gone when the test is over. */
export async function openTestPerson(parts: Partial<SharingParts>): Promise<TestPerson> {
  const home = await mkdtemp(join(tmpdir(), 'thimble-peer-'));
  const store = createMemoryStore();
  const shelf = new Map<string, SharedItem>();
  const items: SharedItems = { read: async (kind, id) => shelf.get(`${kind} ${id}`) };
  let server: SharingServer;
  let client: TestClient;
  const start = async () => {
    server = createSharingServer({ store, home, items, ...parts });
    client = await openTestClient(server);
  };
  await start();
  onTestFinished(async () => {
    await server.close();
    await store[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
  });
  return {
    get client() {
      return client;
    },
    home,
    store,
    put: (kind, id, item) => void shelf.set(`${kind} ${id}`, item),
    async putFile(id, size) {
      const path = join(home, `shelf-${id}`);
      const bytes = randomBytes(size);
      await writeFile(path, bytes);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const file = {
        name: `${id}.bin`,
        size,
        sha256,
        open: (start: number) => createReadStream(path, { start }),
      };
      shelf.set(`file ${id}`, { title: id, content: {}, file });
      return sha256;
    },
    stop: () => server.close(),
    start,
  };
}

/** Makes two people contacts of one another; answers with what accepting said. */
export async function introduce(
  one: TestPerson,
  other: TestPerson,
  names: { readonly one?: string; readonly other?: string } = {},
): Promise<Readonly<Record<string, unknown>>> {
  const invite = await one.client.call('generate_invite', { display_name: names.other ?? 'Other' });
  const answer = await other.client.call('accept_invite', {
    invite_code: String(invite.data['invite_code']),
    display_name: names.one ?? 'One',
  });
  if (answer.isError) throw new Error(answer.text);
  return answer.data;
}

/** Asks until the answer is as wanted. */
export async function until<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  let answer: T | undefined;
  await vi.waitUntil(
    async () => {
      answer = await ask();
      return isWanted(answer);
    },
    { timeout: 50_000, interval: 10 },
  );
  return answer as T;
}

/** The entries of an inbox, oldest first. */
export async function readInbox(person: TestPerson): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { data } = await person.client.call('inbox', { limit: 100 });
  return (data['entries'] as Record<string, unknown>[]).toReversed();
}

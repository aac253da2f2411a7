import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openTestClient, type TestClient } from '../builtin/test-client.contract.ts';
import { parseConfig } from '../config/parse.ts';
import { createResolver } from '../config/references.ts';
import type { GatewayEvent } from '../events/events.ts';
import { CONFIG_PARTS } from '../gateway.ts';
import type { JsonObject } from '../model/json.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import type { Store } from '../store/store.ts';
import { createInside, type Inside } from './inside.ts';

const HERE = 'http://127.0.0.1:7000';
const ON: JsonObject = { storage: true, blog: true };
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const COVER = { file_name: 'cover.png', data_base64: PNG.toString('base64') };

/** A folder of the system's that nobody else uses. */
async function createSystemFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'thimble-inside-'));
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, folder);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

/** The servers without a home, whose configuration can be changed. */
function openInside(store: Store = createMemoryStore()) {
  const toConfig = (builtin: JsonObject) => parseConfig(JSON.stringify({ builtin }), 'test', CONFIG_PARTS);
  let config = toConfig(ON);
  const news: GatewayEvent[] = [];
  const inside = createInside({
    config: () => config,
    store,
    home: undefined,
    device: undefined,
    resolve: createResolver({}),
    feed: { publish: (event) => news.push(event) },
  });
  inside.listensAt(HERE);
  const follow = (builtin: JsonObject) => {
    config = toConfig(builtin);
    return inside.follow();
  };
  return { inside, news, follow };
}

async function connect({ hosted }: Inside, name: string): Promise<TestClient> {
  const server = await hosted.get(name)?.({});
  return openTestClient(server as Parameters<typeof openTestClient>[0]);
}

/** A public post with a stored picture as its cover. */
async function publishCovered(inside: Inside): Promise<void> {
  const { data } = await (await connect(inside, 'storage')).call('upload_file', COVER);
  const blog = await connect(inside, 'blog');
  await blog.call('create_post', {
    title: 'Covered',
    content: 'text',
    visibility: 'public',
    cover_image_key: String(data['key']),
  });
  await blog.call('publish_post', { id: 1 });
}

const ask = async ({ pages }: Inside, path: string) => pages.answer(new Request(`${HERE}${path}`));

it('shows a stored picture as the cover of a post, and opens one folder for all who need it', async () => {
  const folder = await createSystemFolder();
  const { inside } = openInside();
  await publishCovered(inside);
  expect(await (await ask(inside, '/blog/covered'))?.text()).toContain('/blog/covered/cover');
  const cover = await ask(inside, '/blog/covered/cover');
  expect(cover?.headers.get('content-type')).toBe('image/png');
  expect(new Uint8Array((await cover?.arrayBuffer()) as ArrayBuffer)).toEqual(new Uint8Array(PNG));
  expect(await readdir(folder)).toHaveLength(1);
  await inside[Symbol.asyncDispose]();
  expect(await readdir(folder)).toEqual([]);
});

it('shows no cover that was deleted, nor one of a storage that is off', async () => {
  await createSystemFolder();
  const { inside, follow } = openInside();
  await publishCovered(inside);
  await follow({ blog: true, storage: false });
  expect((await ask(inside, '/blog/covered/cover'))?.status).toBe(404);
  expect(await (await ask(inside, '/blog/covered'))?.text()).not.toContain('/blog/covered/cover');
  await follow(ON);
  const storage = await connect(inside, 'storage');
  const [file] = (await storage.call('list_files')).data['files'] as readonly { readonly key: string }[];
  await storage.call('delete_file', { key: file?.key ?? '' });
  expect((await ask(inside, '/blog/covered/cover'))?.status).toBe(404);
  await inside[Symbol.asyncDispose]();
});

it('reads back what is stored after storage was off for a while', async () => {
  await createSystemFolder();
  const { inside, follow } = openInside();
  const roundTrip = async () => {
    const { data } = await (await connect(inside, 'storage')).call('upload_file', COVER);
    const file = await ask(inside, String(data['url']).slice(HERE.length));
    return new Uint8Array((await file?.arrayBuffer()) as ArrayBuffer);
  };
  expect(await roundTrip()).toEqual(new Uint8Array(PNG));
  await follow({ ...ON, storage: false });
  await follow(ON);
  expect(await roundTrip()).toEqual(new Uint8Array(PNG));
  await inside[Symbol.asyncDispose]();
});

it('puts what goes wrong inside a server into the news, by the name of the server', async () => {
  const error = new Error('a secret of the house');
  const store = { ...createMemoryStore(), tables: () => Promise.reject(error) };
  const { inside, news } = openInside(store);
  await (await connect(inside, 'storage')).call('list_files');
  await ask(inside, '/storage/file/abc');
  await ask(inside, '/blog');
  expect(news).toEqual(
    ['storage', 'storage', 'blog'].map((name) => ({
      type: 'fault',
      where: `the built-in server ${name}`,
      error,
    })),
  );
});

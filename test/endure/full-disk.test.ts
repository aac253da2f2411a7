/** A disk without room: a typed error, reads that go on, nothing half written, and all well again once there is room. */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openMemory } from '../../src/builtin/memory/context.ts';
import { MEMORY_TOOLS } from '../../src/builtin/memory/tools.ts';
import { openStorage } from '../../src/builtin/storage/context.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import {
  createAcknowledged,
  onlyBuiltin,
  openProgram,
  openSmallDisk,
  type Program,
  readStoreFile,
  type SmallDisk,
} from '../support/endure.ts';
import { createPlace, type Place } from '../support/program.ts';

const MEGABYTES = 16;
/** Long enough that few fit into what a log has left of earlier writes. */
const CONTENT = 'something long that has to be kept '.repeat(400);
const MOST_WRITES = 2_000;
const FULL = { code: 'STORE_UNAVAILABLE' };
const SAYS_FULL = /no space is left .+; free some and try again/;

/** A home whose disk can be filled: a real small disk, or a database that may not grow where none can be mounted. */
interface Tight extends AsyncDisposable {
  readonly home: string;
  fill(store: Store, but?: number): Promise<void>;
  free(store: Store): Promise<void>;
}

async function openTight(): Promise<Tight> {
  const disk = openSmallDisk(MEGABYTES);
  if (disk)
    return {
      home: join(disk.folder, 'home'),
      fill: (_, but = 0) => disk.fill(but),
      free: () => disk.free(),
      [Symbol.asyncDispose]: async () => disk[Symbol.dispose](),
    };
  const home = await mkdtemp(join(tmpdir(), 'thimble-tight-'));
  const limit = async (store: Store, pages: number) => {
    const { db } = await store.tables<unknown>('memory', []);
    await sql.raw(`pragma max_page_count = ${pages}`).execute(db);
  };
  return {
    home,
    // Never below what there is: SQLite takes a smaller number for that.
    fill: (store) => limit(store, 1),
    free: (store) => limit(store, 1_000_000),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}

const never = { signal: new AbortController().signal, ask: async () => ({}), tell() {} };

async function openTools(store: Store) {
  const memory = await openMemory({ store });
  return async (name: string, args: JsonObject) => {
    const tool = MEMORY_TOOLS.find((candidate) => candidate.name === name)!;
    return (await tool.call(args, memory, never))['structuredContent'] as JsonObject;
  };
}

/** Writes until it is refused; answers what it was refused with. */
async function writeUntilRefused(write: () => Promise<unknown>): Promise<unknown> {
  for (let at = 0; at < MOST_WRITES; at++) {
    const refused = await write().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refused !== undefined) return refused;
  }
  throw new Error(`nothing was refused in ${MOST_WRITES} writes`);
}

const bytes = (size: number) => Buffer.alloc(size, 'thimble ');
async function* inPieces(content: Buffer) {
  for (let at = 0; at < content.length; at += 50_000) yield content.subarray(at, at + 50_000);
}

/** Every content in a home, whole or not. */
async function readHome(home: string): Promise<readonly string[]> {
  const names = await readdir(join(home, 'files'), { recursive: true }).catch(() => []);
  return names.map((name) => basename(name)).filter((name) => /^[0-9a-f]{32}/.test(name));
}

describe('memory on a full disk', () => {
  it('refuses with a typed error, goes on reading, and writes again when there is room', async () => {
    await using tight = await openTight();
    await mkdir(tight.home, { recursive: true });
    await using store = await openStore(join(tight.home, 'thimble.db'));
    const call = await openTools(store);
    const account = createAcknowledged();
    const write = async () => {
      const { id } = await call('store_memory', { content: CONTENT });
      account.end(Number(id), CONTENT);
    };
    await write();
    for (let round = 0; round < 3; round++) {
      await tight.fill(store);
      expect(await writeUntilRefused(write)).toMatchObject({
        ...FULL,
        message: expect.stringMatching(SAYS_FULL),
      });
      const found = (await call('search_memories', { query: 'something long' }))['memories'] as JsonObject[];
      expect(found[0]).toMatchObject({ content: CONTENT });
      expect((await call('memory_stats', {}))['total']).toBe(account.size);
      await tight.free(store);
      await write();
    }
    const { memories, integrity } = readStoreFile(tight.home);
    expect(integrity).toBe('ok');
    expect(memories.size).toBe(account.size);
    expect(account.compare(memories)).toEqual([]);
  });
});

describe('storage on a full disk', () => {
  const details = {
    principal: 'local',
    name: 'note.txt',
    mimeType: undefined,
    bucket: 'files',
    referenceType: undefined,
    referenceId: undefined,
  };

  it('refuses with a typed error, leaves no half file, and takes files again when there is room', async () => {
    await using tight = await openTight();
    await mkdir(tight.home, { recursive: true });
    await using store = await openStore(join(tight.home, 'thimble.db'));
    // The table that lets the page limit be set belongs to memory.
    await openMemory({ store });
    const storage = await openStorage({ store, home: tight.home });
    const add = (size: number) =>
      storage.uploads.add(details, { content: inPieces(bytes(size)), length: undefined });
    const kept = await add(10_000);
    // Once with room for the row but not for the bytes, once with room for nothing.
    for (const but of [200_000, 0]) {
      await tight.fill(store, but);
      expect(await writeUntilRefused(() => add(3_000_000))).toMatchObject({
        ...FULL,
        message: expect.stringMatching(SAYS_FULL),
      });
      const { files } = await storage.files.list('local', { limit: 100, offset: 0 });
      const contents = new Set([...files, kept].map(({ sha256 }) => sha256));
      expect(new Set(await readHome(tight.home))).toEqual(contents);
      const read: Buffer[] = [];
      for await (const chunk of await storage.files.read(kept)) read.push(Buffer.from(chunk));
      expect(Buffer.concat(read).equals(bytes(10_000))).toBe(true);
      await tight.free(store);
    }
    const later = await add(3_000_000);
    expect(later.size).toBe(3_000_000);
    expect(new Set(await readHome(tight.home))).toEqual(new Set([kept.sha256, later.sha256]));
  });
});

/** The same through the program; where no disk can be mounted, what is above has to do. */
describe.runIf(canMount())('the program on a full disk', () => {
  async function openOn({ folder }: SmallDisk): Promise<{ place: Place; program: Program }> {
    const place = { ...(await createPlace(onlyBuiltin('memory', 'storage'))), home: join(folder, 'home') };
    return { place, program: await openProgram(place) };
  }

  it('says what is wrong, still lists, reads and greets, and recovers by itself', async () => {
    using small = openSmallDisk(MEGABYTES)!;
    const { place, program } = await openOn(small);
    await using _place = place;
    await using _program = program;
    const { id } = await program.call('store_memory', { content: CONTENT });
    const data_base64 = bytes(700_000).toString('base64');
    await small.fill(0);
    const write = () => program.call('store_memory', { content: CONTENT });
    expect(String(await writeUntilRefused(write))).toMatch(SAYS_FULL);
    const upload = () => program.call('upload_file', { file_name: 'a.txt', data_base64 });
    expect(String(await writeUntilRefused(upload))).toMatch(SAYS_FULL);
    expect(await readHome(place.home)).toEqual([]);
    const { memories } = await program.call('recall_by_context', { context: 'What was long and kept?' });
    expect((memories as JsonObject[]).length).toBeGreaterThan(0);
    expect((await program.client.listTools()).tools).toHaveLength(17);
    const prompt = await program.client.getPrompt({ name: 'session-start' });
    expect(JSON.stringify(prompt)).toContain('recall_by_context');
    await small.free();
    await program.call('update_memory', { id: Number(id), content: 'there is room again' });
    await upload();
    const found = await program.call('search_memories', { query: 'room again' });
    expect((found['memories'] as JsonObject[])[0]).toMatchObject({ content: 'there is room again' });
    expect(readStoreFile(place.home).integrity).toBe('ok');
  });
});

function canMount(): boolean {
  using disk = openSmallDisk(1);
  return disk !== undefined;
}

/** What the long runs share: programs that write, what they were told is kept, and a look into the file afterwards. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import Database from 'libsql';
import type { JsonObject } from '../../src/model/json.ts';
import { fixture, type Place, PROGRAM } from './program.ts';

/** `ENDURE_FULL=1` runs everything at the length the figures are promised for. */
export const IS_FULL: boolean = process.env['ENDURE_FULL'] !== undefined;

/** A configuration with some of the servers of our own, by their own names. */
export function onlyBuiltin(...names: readonly string[]): JsonObject {
  const all = ['memory', 'projects', 'storage', 'blog', 'sharing'];
  return { builtin: Object.fromEntries(all.map((name) => [name, names.includes(name)])) };
}

/** A `thimble stdio` of its own, used through a client of the SDK. */
export interface Program extends AsyncDisposable {
  readonly client: Client;
  /** The structured part of an answer; an answer that is an error is thrown with its text. */
  call(tool: string, args: JsonObject): Promise<JsonObject>;
  /** Ends it at once, in the middle of whatever it does. */
  kill(): void;
}

/** Starts one over a home that others may use at the same time; `lagFile` gets what its event loop did. */
export async function openProgram(place: Place, lagFile?: string): Promise<Program> {
  const probe = lagFile === undefined ? [] : ['--import', fixture('loop-lag.mjs')];
  const words = ['stdio', '--alone', '--home', place.home, '--config', place.config];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...probe, PROGRAM, ...words],
    env: lagFile === undefined ? {} : { LOOP_LAG_FILE: lagFile },
    cwd: place.dir,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'endure', version: '1.0.0' });
  await client.connect(transport);
  return {
    client,
    async call(name, args) {
      const result = await client.callTool({ name, arguments: args });
      if (result.isError) throw new Error((result.content[0] as { text: string }).text);
      return result.structuredContent as JsonObject;
    },
    kill: () => void process.kill(Number(transport.pid), 'SIGKILL'),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Lets one program meet its servers, so that those that start at once later on know them. */
export async function warmUp(place: Place): Promise<void> {
  await using program = await openProgram(place);
  await program.client.listTools();
}

/** What programs acknowledged, and what may be in the file because of it. */
export interface Acknowledged {
  readonly size: number;
  /** A change is under way: from now on either is right. */
  begin(id: number, content: string | undefined): void;
  /** It was acknowledged: from now on only this is right; undefined for a row that is gone. */
  end(id: number, content: string | undefined): void;
  /** One sentence for each row that is not as it should be. */
  compare(rows: ReadonlyMap<number, string>): readonly string[];
}

/** Creates an account of acknowledged rows. */
export function createAcknowledged(): Acknowledged {
  const right = new Map<number, readonly (string | undefined)[]>();
  return {
    get size() {
      return right.size;
    },
    begin: (id, content) => void right.set(id, [...(right.get(id) ?? []), content]),
    end: (id, content) => void right.set(id, [content]),
    compare: (rows) =>
      [...right]
        .filter(([id, contents]) => !contents.includes(rows.get(id)))
        .map(([id, contents]) => `${id} is "${rows.get(id)}" and not "${contents.join('" or "')}"`),
  };
}

/** Stores, changes and deletes memories one after the other until it is told to stop or its program ends. */
export async function writeMemories(
  program: Program,
  name: string,
  account: Acknowledged,
  isOver: () => boolean,
  onWrite: (ms: number) => void = () => {},
): Promise<void> {
  const own: number[] = [];
  for (let at = 0; !isOver(); at++) {
    const content = `writer ${name} wrote line ${at} of what has to be kept`;
    const old = at % 5 === 3 || at % 10 === 9 ? own.shift() : undefined;
    const started = performance.now();
    if (old === undefined) {
      const { id } = await program.call('store_memory', { content });
      account.end(Number(id), content);
      own.push(Number(id));
    } else if (at % 10 === 9) {
      account.begin(old, undefined);
      await program.call('delete_memory', { id: old });
      account.end(old, undefined);
    } else {
      account.begin(old, content);
      await program.call('update_memory', { id: old, content });
      account.end(old, content);
    }
    onWrite(performance.now() - started);
  }
}

/** What a store file holds, read by the driver itself. */
export interface FileContent {
  readonly memories: ReadonlyMap<number, string>;
  /** `ok`, or what SQLite found wrong. */
  readonly integrity: string;
}

/** Reads a store file and lets SQLite check it, full text included. */
export function readStoreFile(home: string): FileContent {
  const database = new Database(join(home, 'thimble.db'));
  try {
    database.exec('pragma busy_timeout = 5000');
    const rows = database.prepare('select id, content from memories').all() as {
      id: number;
      content: string;
    }[];
    const found = database.prepare('pragma integrity_check').all() as { integrity_check: string }[];
    return {
      memories: new Map(rows.map(({ id, content }) => [id, content])),
      integrity: found.map(({ integrity_check }) => integrity_check).join('; '),
    };
  } finally {
    database.close();
  }
}

/** Lets a process of its own hold the write lock; resolves with when it had it, once it has let go. */
export async function holdWriteLock(home: string, milliseconds: number): Promise<readonly [number, number]> {
  const words = [fixture('hold-lock.mjs'), join(home, 'thimble.db'), String(milliseconds)];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const [code] = await once(child, 'close');
  const [from = 0, to = 0] = text.trim().split('\n').map(Number);
  if (code !== 0 || to <= from) throw new Error(`the lock was not held: ${code} ${text}`);
  return [from, to];
}

/** The longest stall of an event loop between two moments. */
export async function readLag(lagFile: string, from: number, to: number): Promise<number> {
  const windows = (await readFile(lagFile, 'utf8')).trim().split('\n');
  const stalls = windows
    .map((line) => line.split(' ').map(Number))
    .filter(([begin = 0, end = 0]) => begin >= from && end <= to)
    .map(([, , lag = 0]) => lag);
  if (stalls.length === 0) throw new Error(`nothing was measured between ${from} and ${to}`);
  return Math.max(...stalls);
}

/** A disk that is soon full. */
export interface SmallDisk extends Disposable {
  readonly folder: string;
  /** Takes what is left of it, but for so many bytes. */
  fill(but: number): Promise<void>;
  free(): Promise<void>;
}

/** Mounts a small disk in memory; undefined where that is not allowed. */
export function openSmallDisk(megabytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'thimble-disk-'));
  const filler = join(folder, 'filler');
  try {
    runTool('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder);
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  return {
    folder,
    async fill(but) {
      const size = await fillUp(filler);
      const file = await open(filler, 'r+');
      await file.truncate(Math.max(0, size - but));
      await file.close();
    },
    free: () => rm(filler, { force: true }),
    [Symbol.dispose]() {
      runTool('umount', '--lazy', folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function runTool(tool: string, ...words: readonly string[]): void {
  execFileSync(tool, words, { stdio: 'ignore' });
}

/** Writes until the disk takes no more; answers how much there is. */
async function fillUp(path: string): Promise<number> {
  const file = await open(path, 'a');
  const page = Buffer.alloc(4_096);
  try {
    for (;;) await file.appendFile(page);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/** Runs the built program as people do: a process of its own, with a home and a working directory of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/model/json.ts';
import { withoutOwn } from './plain-config.ts';

/** The built program. */
export const PROGRAM: string = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** The path of a fixture server. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
}

/** A place for one gateway: working directory, home and configuration. */
export interface Place extends AsyncDisposable {
  readonly dir: string;
  readonly home: string;
  readonly config: string;
  /** Replaces its configuration; no servers of our own and the plain mode unless it says so. */
  write(config: JsonObject): Promise<void>;
}

/** Makes a place under the temporary directory. */
export async function createPlace(config: JsonObject): Promise<Place> {
  const dir = await mkdtemp(join(tmpdir(), 'thimble-'));
  const path = join(dir, 'thimble.jsonc');
  const write = (next: JsonObject) => writeFile(path, JSON.stringify(withoutOwn(next)));
  await write(config);
  return {
    dir,
    home: join(dir, 'home'),
    config: path,
    write,
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

/** A running `thimble serve`. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildProcess;
  readonly output: () => string;
}

/** Starts `thimble serve` on a free port and waits until it says where it listens. */
export function serve(place: Place, ...args: string[]): Promise<Served> {
  return serveWith([PROGRAM], place, args);
}

/** The same with another program, named by what stands after `node`. */
export async function serveWith(
  words: readonly string[],
  place: Place,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Served> {
  const rest = ['serve', '--port', '0', '--home', place.home, ...args];
  const child = spawn(process.execPath, [...words, ...rest], {
    cwd: place.dir,
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  let text = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      text += chunk;
      if (!text.includes('Ctrl-C')) return;
      const found = /endpoint\s+(http:\/\/\S+)\/mcp/.exec(text)?.[1];
      if (found) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', (code) => reject(new Error(`thimble serve ended with ${code}:\n${text}`)));
  });
  return { url, child, output: () => text, [Symbol.asyncDispose]: () => stop(child) };
}

/** Waits until a gateway knows these servers: what asks too early on a busy machine asks without them. */
export async function untilMet({ url }: Pick<Served, 'url'>, ...ids: readonly string[]): Promise<void> {
  await eventually(`${ids.join(', ')} are known`, async () => {
    const health = (await (await fetch(`${url}/health`)).json()) as {
      externalServers: { id: string; tools: number }[];
    };
    const known = health.externalServers.filter(({ tools }) => tools > 0).map(({ id }) => id);
    return ids.every((id) => known.includes(id));
  });
}

/** Asks a process to stop and waits until it has. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

/** Process ids of all descendants of a process. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (parent) parents.set(Number(name), Number(parent));
  }
  const found: number[] = [];
  const visit = (of: number) => {
    for (const [child, parent] of parents) {
      if (parent !== of) continue;
      found.push(child);
      visit(child);
    }
  };
  visit(pid);
  return found;
}

/** The command line of a process, or nothing when it is gone. */
export async function commandOf(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return text.replaceAll('\0', ' ').trim();
}

/** True while a process exists and is no zombie. */
export async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
}

/** Waits until something holds, looking often; says what it waited for when it never does. */
export async function eventually(
  what: string,
  holds: () => Promise<boolean> | boolean,
  limitMs = 60_000,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What it takes a quiet machine to start a program that does nothing. */
const QUIET_START_MS = 60;

/** How many times longer than a quiet machine this one takes to start anything just now; never less than once. */
export async function readSlowness(): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < 5; round++) {
    const started = performance.now();
    await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
    taken.push(performance.now() - started);
  }
  const [, , middle = 0] = taken.sort((a, b) => a - b);
  return Math.max(1, middle / QUIET_START_MS);
}

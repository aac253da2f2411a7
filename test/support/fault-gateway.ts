/** Whole gateways for the fault suite, bundled from source: nothing has to be built before, and dist/ is left alone. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import type { JsonObject } from '../../src/model/json.ts';
import { PLAIN } from './plain-config.ts';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Programs ready to be run. */
export interface Programs extends Disposable {
  /** The product itself. */
  readonly main: string;
  /** A gateway that can be asked what it holds. */
  readonly host: string;
}

/** Bundles them into a folder where packages that are not bundled are found. */
export async function bundlePrograms(): Promise<Programs> {
  const dir = mkdtempSync(at('node_modules/.thimble-faults-'));
  await build({
    cwd: at('.'),
    input: { main: 'src/main.ts', host: 'test/fixtures/gateway-host.mjs' },
    platform: 'node',
    resolve: { mainFields: ['module', 'main'] },
    transform: { target: 'node20' },
    external: [/^libsql/, /^@citation-js\//, /^@aws-sdk\//, /^hyper(swarm|dht)/],
    logLevel: 'warn',
    output: { dir, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
  });
  return {
    main: join(dir, 'main.js'),
    host: join(dir, 'host.js'),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** What a gateway of the suite is made of. */
export interface HostOptions {
  readonly mcpServers: Readonly<Record<string, JsonObject>>;
  /** What its clients are given time for is over so many times sooner. */
  readonly speed?: number;
}

/** What a gateway says it holds. */
interface Held {
  readonly sessions: number;
  /** Connections of its clients. */
  readonly connections: number;
  readonly residentMb: number;
  /** What it holds outside the heap, what is to be sent among it. */
  readonly bufferMb: number;
}

/** A gateway in a process of its own. */
export interface Host extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** What it holds as things are. */
  inspect(): Promise<Held>;
  /** What it holds with its garbage collected. */
  collect(): Promise<Held>;
}

/** Starts one and waits until it listens. */
export async function startHost({ host }: Programs, options: HostOptions): Promise<Host> {
  const { mcpServers, speed = 1 } = options;
  const words = ['--expose-gc', host, JSON.stringify({ config: { ...PLAIN, mcpServers }, speed })];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const { url } = await hear<{ url: string }>(child);
  const ask = (word: string) => {
    child.send(word);
    return hear<Held>(child);
  };
  return {
    url,
    pid: child.pid ?? 0,
    inspect: () => ask('inspect'),
    collect: () => ask('collect'),
    async [Symbol.asyncDispose]() {
      child.send('stop');
      await once(child, 'exit');
    },
  };
}

async function hear<T>(child: ChildProcess): Promise<T> {
  const heard = new AbortController();
  const ended = once(child, 'exit', heard).then(
    ([code]) => Promise.reject(new Error(`the gateway ended with ${code}`)),
    () => [],
  );
  const [message] = await Promise.race([once(child, 'message'), ended]);
  heard.abort();
  return message as T;
}

/** Resident memory of a process in MB: now, and the most it was since the last look. */
export function readResident(pid: number): { readonly nowMb: number; readonly mostMb: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return { nowMb: read('VmRSS'), mostMb: read('VmHWM') };
}

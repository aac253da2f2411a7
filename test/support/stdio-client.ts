/** A raw JSON-RPC client for a program on stdio: what it sends and receives is exactly what crosses the pipe. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { isJsonObject, type JsonObject } from '../../src/model/json.ts';
import { eventually, type Place, PROGRAM, stop } from './program.ts';

/** A program being talked to. */
export interface StdioClient extends AsyncDisposable {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  request(method: string, params?: JsonObject): Promise<JsonObject>;
  /** Opens a legacy conversation. */
  initialize(): Promise<JsonObject>;
  /** Lists tools until these are among them, for a busy machine meets servers late; answers the names of all. */
  listed(...names: readonly string[]): Promise<readonly string[]>;
  send(text: string): void;
  /** Every notification so far. */
  readonly notifications: readonly string[];
  /** Every byte of stdout so far. */
  stdout(): string;
  stderr(): string;
  /** When the process was started. */
  readonly started: number;
}

/** Starts `thimble stdio`, or another command of it, in a place. */
export function openStdio(place: Place, ...args: string[]): StdioClient {
  const words = args.length > 0 ? args : ['stdio'];
  const started = performance.now();
  const child = spawn(process.execPath, [PROGRAM, ...words, '--home', place.home], {
    cwd: place.dir,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const waiting = new Map<
    number,
    { resolve: (result: JsonObject) => void; reject: (error: Error) => void }
  >();
  const notifications: string[] = [];
  let stdout = '';
  let stderr = '';
  let rest = '';
  let lastId = 0;
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    rest += chunk;
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) receive(JSON.parse(line));
  });
  // Not when it exits: what it said last may still be in the pipe then.
  child.on('close', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the program ended with ${code}: ${stderr}`));
  });

  function receive(message: JsonObject): void {
    if (typeof message['method'] === 'string') {
      notifications.push(message['method']);
      return;
    }
    const waiter = waiting.get(Number(message['id']));
    waiting.delete(Number(message['id']));
    if (isJsonObject(message['error']))
      waiter?.reject(Object.assign(new Error(String(message['error']['message'])), message['error']));
    else waiter?.resolve(message['result'] as JsonObject);
  }

  function request(method: string, params: JsonObject = {}): Promise<JsonObject> {
    lastId += 1;
    const id = lastId;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  }

  async function listed(...names: readonly string[]): Promise<readonly string[]> {
    let all: readonly string[] = [];
    await eventually(`${names.join(', ')} are listed`, async () => {
      all = namesOf(await request('tools/list'));
      return names.every((name) => all.includes(name));
    });
    return all;
  }

  return {
    child,
    started,
    request,
    notifications,
    listed,
    initialize: () =>
      request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'raw', version: '1' },
      }),
    send: (text) => void child.stdin.write(text),
    stdout: () => stdout,
    stderr: () => stderr,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await stop(child);
    },
  };
}

/** The names in a list result. */
export function namesOf(result: JsonObject, key = 'tools'): string[] {
  return (result[key] as JsonObject[]).map((entry) => String(entry['name']));
}

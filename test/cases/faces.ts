/** One machine on which every operation can be asked for through all three faces, in this process. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createApi } from '../../src/admin/api.ts';
import { createManageServer } from '../../src/admin/manage-server.ts';
import { createHouse } from '../../src/cli/house/house.ts';
import { runProgram } from '../../src/cli/program.ts';
import { fromUnknown } from '../../src/errors/from-unknown.ts';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import type { House } from '../../src/operations/house.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { openStore } from '../../src/store/open.ts';
import type { HostedServer } from '../../src/upstream/connectors/builtin/connector.ts';

/** What a face answered. */
export interface Told {
  readonly is: 'done' | 'pending' | 'error';
  /** The code of an error, where the face tells it. */
  readonly code?: string;
  /** Everything that was said. */
  readonly text: string;
}

/** Asks one face for one operation. */
export type Face = (operation: Operation, args: JsonObject) => Promise<Told>;

/** The machine and its faces. */
export interface FacedMachine extends AsyncDisposable {
  /** Everything of the test is below; only `home`, `user` and `work` should ever be in it. */
  readonly root: string;
  readonly config: string;
  readonly faces: {
    readonly http: Face;
    readonly mcp: Face;
    /** At a keyboard where nobody is. */
    readonly cli: Face;
    /** With `--yes` where it is understood. */
    readonly agreed: Face;
  };
  /** Any path and body at the admin API, with the token. */
  post(path: string, body: unknown): Promise<Told>;
  /** Any tool of the server `manage`. */
  call(tool: string, args: JsonObject): Promise<Told>;
  /** Any words of the program. */
  run(...words: string[]): Promise<Told & { readonly exit: number }>;
  /** Puts the configuration and the clients back as they were. */
  restore(): Promise<void>;
  /** Every file and folder, from the root, without what the house keeps for itself. */
  files(): Promise<readonly string[]>;
}

const TOKEN = `tk_${'f'.repeat(43)}`;
const FAULT = fromUnknown(new Error('x')).message;
const ECHO = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));
const MINE = { command: process.execPath, args: [ECHO], tags: ['work'] };

/** Opens one: the server `mine` of the profile `work` is configured, and Cursor has the server `lamp`. */
export async function openFacedMachine(registryUrl: string): Promise<FacedMachine> {
  const top = await mkdtemp(join(tmpdir(), 'thimble-faces-'));
  // Deep, so that a path with a few steps up still ends where it is seen.
  const root = join(top, 'a', 'b');
  const [home, user, work] = ['home', 'user', 'work'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const dir of [home, join(user, '.cursor'), work]) await mkdir(dir, { recursive: true });
  const config = join(home, 'thimble.jsonc');
  const restore = async () => {
    await writeFile(config, `${JSON.stringify({ mcpServers: { mine: MINE } }, null, 2)}\n`);
    const cursor = { mcpServers: { lamp: { command: process.execPath, args: [ECHO] } } };
    await writeFile(join(user, '.cursor/mcp.json'), `${JSON.stringify(cursor, null, 2)}\n`);
  };
  await restore();
  const env = {
    HOME: user,
    PATH: process.env['PATH'],
    THIMBLE_HOME: home,
    THIMBLE_REGISTRY_URL: registryUrl,
  };
  const place = { home, cwd: work, explicit: undefined, env, program: [process.execPath, '/opt/thimble.js'] };
  const store = await openStore(join(home, 'thimble.db'));
  const toHouse = (call: Pick<House, 'tell' | 'signal'>) => createHouse(place, async () => store, call);
  const post = createPost(createApi({ token: TOKEN, toHouse }));
  const call = await connectManage(await createManageServer({ namespace: 'thimble', toHouse }));
  const run = createRun(work, env);
  const toCli =
    (agreed: boolean): Face =>
    (operation, args) =>
      run(...toLine(operation, args), ...(agreed && operation.effects === 'acts' ? ['--yes'] : []), '--json');
  return {
    root: top,
    config,
    post,
    call,
    run,
    restore,
    faces: {
      http: ({ noun, verb }, args) => post(`/api/${noun}/${verb}`, args),
      mcp: ({ noun, verb }, args) =>
        call(`thimble_${noun}`, noun === 'check_status' ? args : { action: verb, ...args }),
      cli: toCli(false),
      agreed: toCli(true),
    },
    files: async () => {
      const found = await readdir(top, { recursive: true });
      return found
        .filter((name) => !/^a\/b\/home\/(thimble\.db|backups|cache|groups|.*key)/.test(name))
        .sort();
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await rm(top, { recursive: true, force: true });
    },
  };
}

function createPost(api: ReturnType<typeof createApi>): FacedMachine['post'] {
  return async (path, body) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const request = new Request(`http://127.0.0.1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const response = await api(request);
    if (!response) return { is: 'error', code: 'ENDPOINT_NOT_FOUND', text: 'it is no address of the API' };
    const text = await response.text();
    const { error } = JSON.parse(text) as { error?: { code: string } };
    if (error) return { is: 'error', code: error.code, text };
    return { is: response.status === 202 ? 'pending' : 'done', text };
  };
}

async function connectManage(server: HostedServer): Promise<FacedMachine['call']> {
  const waiting = new Map<number, (result: JsonObject) => void>();
  let last = 0;
  const transport = {
    onmessage: undefined as ((message: never) => void) | undefined,
    start: async () => {},
    close: async () => {},
    async send(message: unknown) {
      const { id, method, result, error } = message as JsonObject & { id: number };
      if (method === undefined) waiting.get(id)?.((result ?? { error: error ?? null }) as JsonObject);
      // Nobody is there to be asked.
      else if (id !== undefined) deliver({ id, error: { code: -32601, message: 'this client asks nobody' } });
    },
  };
  const deliver = (message: JsonObject) =>
    queueMicrotask(() => transport.onmessage?.({ jsonrpc: '2.0', ...message } as never));
  await server.connect(transport);
  const ask = (method: string, params: JsonObject) =>
    new Promise<JsonObject>((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      deliver({ id: last, method, params });
    });
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } });
  return async (name, args) => {
    const { content, isError, error } = await ask('tools/call', { name, arguments: args });
    if (error !== undefined) {
      const { data, message } = error as { data?: { code?: string }; message: string };
      return { is: 'error', code: data?.code ?? '', text: message };
    }
    const [first] = content as unknown as readonly { readonly text: string }[];
    const text = first?.text ?? '';
    if (isError === true) return { is: 'error', text, ...(text.includes(FAULT) && { code: 'INTERNAL' }) };
    return { is: text.startsWith('Not done yet') ? 'pending' : 'done', text };
  };
}

function createRun(cwd: string, env: Readonly<Record<string, string | undefined>>): FacedMachine['run'] {
  return async (...words) => {
    const printed: string[] = [];
    const complained: string[] = [];
    const print = (line: string) => void printed.push(line);
    const ports = {
      cwd,
      env,
      print,
      program: [process.execPath, '/opt/thimble.js'],
      streams: { input: new PassThrough(), output: new PassThrough() },
      terminal: undefined,
      stopped: new Promise<string>(() => {}),
    };
    const exit = await runProgram(words, ports, { print, complain: (line) => void complained.push(line) });
    const text = [...printed, ...complained].join('\n');
    if (exit === 0) return { is: 'done', text, exit };
    const code = /"code": "([A-Z_]+)"/.exec(printed.join('\n'))?.[1];
    return { is: code === 'CONSENT_NEEDED' ? 'pending' : 'error', text, exit, ...(code && { code }) };
  };
}

/** The words somebody would type; options with their values in one word, so that each stays what it is. */
function toLine({ noun, verb, words, input }: Operation, args: JsonObject): readonly string[] {
  const texts = (value: JsonValue | undefined): readonly string[] => {
    if (Array.isArray(value)) return value.map(String);
    if (typeof value === 'object' && value !== null)
      return Object.entries(value).map(([key, one]) => `${key}=${String(one)}`);
    return value === undefined ? [] : [String(value)];
  };
  const options = Object.keys(args).filter((name) => !words.includes(name) && name in input.shape);
  return [
    noun,
    verb,
    ...words.flatMap((word) => texts(args[word])),
    ...options.flatMap((name) => {
      const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      if (args[name] === true) return [flag];
      return texts(args[name]).map((text) => `${flag}=${text}`);
    }),
  ];
}

/** The text of the configuration. */
export function readConfig({ config }: Pick<FacedMachine, 'config'>): Promise<string> {
  return readFile(config, 'utf8');
}

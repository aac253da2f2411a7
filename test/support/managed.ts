/** A whole machine for tests of management: a home, clients, a registry, a project, and a gateway that serves them. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../src/model/json.ts';
import { createPlace, fixture, type Place, PROGRAM, type Served, serveWith, untilMet } from './program.ts';
import { type RegistryFixture, startRegistry } from './registry-server.ts';

/** What a run of the program came to. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The machine; disposing it ends everything on it. */
export interface Managed extends AsyncDisposable {
  readonly place: Place;
  readonly served: Served;
  readonly registry: RegistryFixture;
  readonly env: NodeJS.ProcessEnv;
  /** Runs the program at a terminal that is none. */
  run(...words: string[]): Promise<Ran>;
  /** Ends the gateway and starts another one in its place; its address is a new one. */
  restart(): Promise<void>;
}

/** An entry that starts a real server with ten tools. */
export const echo = (name: string) => ({
  command: process.execPath,
  args: [fixture('echo-server.mjs'), '--name', name],
});

const WEATHER = {
  name: 'io.github.example/weather',
  description: 'Weather for any place',
  version: '1.0.0',
  packages: [
    {
      registryType: 'npm',
      identifier: '@example/weather',
      version: '1.0.0',
      transport: { type: 'stdio' },
      environmentVariables: [
        { name: 'WEATHER_KEY', description: 'the key', isRequired: true, isSecret: true },
      ],
    },
  ],
};

/** What may differ from the usual machine. */
export interface ManagedParts {
  /** More servers, by name. */
  readonly servers?: JsonObject;
  /** More options of `thimble serve`. */
  readonly serve?: readonly string[];
  /** More of the environment, for all that runs. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Sets one up: the server `desk` is configured, `work` is its profile, Cursor has a server of its own. */
export async function openManaged(given: ManagedParts = {}): Promise<Managed> {
  const place = await createPlace({
    manage: { enabled: true },
    mcpServers: { desk: { ...echo('desk'), tags: ['work'] }, ...given.servers },
  });
  const bin = join(place.dir, 'bin');
  await mkdir(bin);
  await mkdir(join(place.dir, '.cursor'));
  const other = { mcpServers: { lamp: echo('lamp') } };
  await writeFile(join(place.dir, '.cursor/mcp.json'), JSON.stringify(other, null, 2));
  // What npx would fetch is a server that is here already: tests talk to this machine only.
  const npx = `#!${process.execPath}\nprocess.argv.push('--name', 'weather');\nawait import(${JSON.stringify(fixture('echo-server.mjs'))});\n`;
  await writeFile(join(bin, 'npx'), npx);
  await writeFile(join(bin, 'package.json'), '{ "type": "module" }');
  await chmod(join(bin, 'npx'), 0o755);
  await promisify(execFile)('git', ['init', '-q'], { cwd: place.dir });
  const registry = await startRegistry([WEATHER]);
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: place.dir,
    PATH: `${bin}:${process.env['PATH']}`,
    THIMBLE_REGISTRY_URL: registry.url,
    THIMBLE_HOME: place.home,
    ...given.env,
  };
  const echoes = Object.entries(given.servers ?? {}).filter(([, entry]) =>
    JSON.stringify(entry).includes('echo-server.mjs'),
  );
  const start = async () => {
    const running = await serveWith([PROGRAM], place, given.serve, env);
    await untilMet(running, 'desk', ...echoes.map(([id]) => id));
    return running;
  };
  let served = await start();
  return {
    place,
    get served() {
      return served;
    },
    registry,
    env,
    run: (...words) => run(words, place.dir, env),
    async restart() {
      await served[Symbol.asyncDispose]();
      served = await start();
    },
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await registry[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Runs the built program to its end, with nobody at the keyboard. */
export async function run(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...words], { cwd, env, timeout: 120_000 }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out, err });
    }).stdin?.end();
  });
}

/** What a person answers when they are asked; undefined for a client that cannot ask. */
export type Answering = ((message: string) => 'accept' | 'decline') | undefined;

/** Connects a client of either era. */
export async function connectClient(
  url: string,
  era: 'legacy' | 'modern',
  answering: Answering,
  /** What it shows at the door of a share. */
  token?: string,
): Promise<Client> {
  const mode = era === 'modern' ? { pin: '2026-07-28' as const } : ('legacy' as const);
  const client = new Client(
    { name: `managed-${era}-${answering ? 'asks' : 'mute'}`, version: '1.0.0' },
    { versionNegotiation: { mode }, ...(answering && { capabilities: { elicitation: { form: {} } } }) },
  );
  if (answering)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const action = answering(String(params.message));
      return action === 'accept' ? { action, content: { agree: true } } : { action };
    });
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

/** What a tool said, and whether it was an error. */
export async function say(client: Client, name: string, args: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: args }, { timeout: 120_000 });
  const [content] = result.content as { text: string }[];
  return { text: content?.text ?? '', isError: result.isError === true };
}

/** People who share as whole gateways: the built program with a home of its own, used through a client in a mode. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { NetworkPlace } from '../../src/builtin/sharing/network/network.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { createPlace, type Served, serve, stop } from '../support/program.ts';

/** The answer of a tool. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly data: JsonObject;
}

/** A gateway of somebody; it can be started again after every end. */
export interface GatewayPerson extends AsyncDisposable {
  readonly home: string;
  /** The process as it runs now. */
  readonly pid: number;
  start(): Promise<void>;
  /** Calls a tool of a built-in server; undefined when the gateway ended before it answered. */
  tryCall(server: string, tool: string, args?: JsonObject): Promise<Answer | undefined>;
  /** The same, for a gateway that has to answer. */
  call(server: string, tool: string, args?: JsonObject): Promise<Answer>;
  /** Puts bytes into the storage over its upload URL, and tells the key; undefined when the gateway ended. */
  upload(name: string, bytes: Uint8Array): Promise<string | undefined>;
  /** Ends it in good order. */
  stop(): Promise<void>;
  /** Ends it at once, as a power cut does. */
  kill(): Promise<void>;
}

/** How a mode is asked for a tool of a server. */
const MODES = {
  direct: (_: string, tool: string, args: JsonObject) => ({ name: tool, arguments: args }),
  category: (server: string, tool: string, args: JsonObject) => ({
    name: `thimble_${server}`,
    arguments: { action: tool, params: args },
  }),
} as const;

/** What is open while the gateway runs. */
interface Running {
  readonly served: Served;
  readonly client: Client;
  /** Resolves when the process has ended. */
  readonly ended: Promise<undefined>;
}

/** Creates a place for a gateway; the program is started by `start`. */
export async function createGatewayPerson(
  mode: keyof typeof MODES,
  { bootstrap = [], host }: NetworkPlace,
): Promise<GatewayPerson> {
  const nodes = bootstrap.map((node) => `${node.host}:${node.port}`);
  const place = await createPlace({
    builtin: { sharing: { bootstrap: nodes, ...(host === undefined ? {} : { host }) } },
  });
  let running: Running | undefined;

  async function start(): Promise<void> {
    const served = await serve(place);
    const ended = new Promise<undefined>((resolve) => {
      served.child.once('exit', () => resolve(undefined));
    });
    const client = new Client({ name: `person-${mode}`, version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp/${mode}`)));
    running = { served, client, ended };
  }

  async function tryCall(server: string, tool: string, args: JsonObject = {}): Promise<Answer | undefined> {
    if (!running) return undefined;
    const { client, ended } = running;
    const answer = client.callTool(MODES[mode](server, tool, args)).catch(unlessEnded(running));
    const result = await Promise.race([answer, ended]);
    if (result === undefined) return undefined;
    const text = (result.content as { text: string }[]).map((part) => part.text).join('\n');
    return { text, isError: result.isError === true, data: (result.structuredContent ?? {}) as JsonObject };
  }

  async function call(server: string, tool: string, args: JsonObject = {}): Promise<Answer> {
    const answer = await tryCall(server, tool, args);
    if (answer === undefined)
      throw new Error(`the gateway ended during ${tool}: ${running?.served.output()}`);
    return answer;
  }

  async function end(how: (served: Served) => Promise<unknown>): Promise<void> {
    const ending = running;
    if (!ending) return;
    await how(ending.served);
    await ending.ended;
    running = undefined;
    await ending.client.close();
  }

  const kill = () => end(async ({ child }) => child.kill('SIGKILL'));

  return {
    home: place.home,
    get pid() {
      return running?.served.child.pid ?? -1;
    },
    start,
    tryCall,
    call,
    kill,
    async upload(file_name, bytes) {
      const announced = await tryCall('storage', 'upload_file', { file_name });
      if (announced === undefined || !running) return undefined;
      const { key, upload_url } = announced.data as { key: string; upload_url: string };
      const sent = fetch(upload_url, { method: 'PUT', body: new Blob([bytes as Uint8Array<ArrayBuffer>]) });
      const answer = await sent.catch(unlessEnded(running));
      if (answer && !answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
      return answer && key;
    },
    stop: () => end(({ child }) => stop(child)),
    async [Symbol.asyncDispose]() {
      await kill();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** A call that failed because the gateway ended has no answer; any other fault is one. */
function unlessEnded({ served, ended }: Running): (error: unknown) => Promise<undefined> {
  return async (error) => {
    const isEnding =
      served.child.killed || served.child.exitCode !== null || served.child.signalCode !== null;
    if (!isEnding) throw error;
    return ended;
  };
}

/** The UDP sockets a process has open. */
export async function countUdpSockets(pid: number): Promise<number> {
  const tables = await Promise.all(
    ['udp', 'udp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  );
  const inodes = new Set(
    tables.flatMap((table) => table.split('\n').slice(1)).map((line) => line.trim().split(/\s+/)[9]),
  );
  const names = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  return links.filter((link) => inodes.has(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? 'none')).length;
}

/** True when the process has loaded the native part of the network. */
export async function hasLoadedNetwork(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/maps`, 'utf8')).includes('udx-native');
}

/** The most memory a process ever had, in megabytes. */
export async function readPeakMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

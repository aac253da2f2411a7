/** What is measured: the upstream itself, the bare relay and the gateway, by face, kind of upstream and era. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openHttpClient, openStdioClient } from './clients.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const UPSTREAM = at('./upstream.mjs');
const RELAY = at('./relay.mjs');
const READY_MS = 60_000;

/** The built program; another one can be named, to compare two builds. */
export const PROGRAM = process.env.THIMBLE_PROGRAM ?? at('../../dist/main.js');

/** Starts a program on a free port; it says `ready at` which on stdout when it listens. */
async function startListening(args, { ready = /ready at (\d+)\n/, env } = {}) {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: env ?? process.env,
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  let text = '';
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (ready.test(text)) resolve();
    });
    gone.then((code) => reject(new Error(`${args[0]} ended with ${code}: ${text}`)));
  });
  return {
    pid: child.pid,
    text,
    port: ready.exec(text)[1],
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 16_000);
      await gone;
      clearTimeout(timer);
    },
  };
}

/** Upstreams for a scenario; HTTP ones live in one process that all targets share. */
export async function openUpstreams({ kind, servers, tools, era }) {
  const common = ['--era', era, '--tools', String(tools)];
  const names = servers > 1 ? ['--names', 'yes'] : [];
  const nameOf = (index) => (servers > 1 ? `s${index}` : '');
  const toolOf = (index) => `${servers > 1 ? `s${index}_` : ''}echo`;
  const last = servers - 1;
  if (kind === 'stdio') {
    const list = Array.from({ length: servers }, (_, index) => ({
      command: process.execPath,
      args: [UPSTREAM, ...common, '--name', nameOf(index)],
    }));
    return { list, tool: toolOf(last), last: list[last], stop: async () => {} };
  }
  const args = [UPSTREAM, '--http', '0', '--servers', String(servers), ...names, ...common];
  const server = await startListening(args);
  const list = Array.from({ length: servers }, (_, index) => ({
    type: 'http',
    url: `http://127.0.0.1:${server.port}/s${index}/mcp`,
  }));
  return { list, tool: toolOf(last), last: list[last], stop: server.stop };
}

/** A place with the configuration of a gateway over the upstreams. */
function createPlace(upstreams) {
  const dir = mkdtempSync(join(tmpdir(), 'thimble-bench-'));
  const mcpServers = Object.fromEntries(upstreams.list.map((upstream, index) => [`s${index}`, upstream]));
  writeFileSync(
    join(dir, 'thimble.jsonc'),
    JSON.stringify({ builtin: false, manage: { enabled: false }, exposure: { mode: 'direct' }, mcpServers }),
  );
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

async function openGateway({ face, era, upstreams, place }) {
  const common = ['--config', join(place.dir, 'thimble.jsonc'), '--home', join(place.dir, 'home')];
  if (face === 'stdio') {
    const args = [PROGRAM, 'stdio', '--mode', 'direct', ...common];
    const client = openStdioClient({ command: process.execPath, args, cwd: place.dir }, era);
    return { client, pid: client.pid, stop: () => client.close() };
  }
  const server = await startListening([PROGRAM, 'serve', '--port', '0', ...common], { ready: /Ctrl-C/ });
  const url = /endpoint\s+(http:\S+)\/mcp/.exec(server.text)[1];
  const client = openHttpClient(`${url}/mcp/direct`, era);
  return {
    client,
    pid: server.pid,
    async stop() {
      await client.close();
      await server.stop();
    },
    upstreams,
  };
}

async function openRelay({ face, kind, era, upstreams }) {
  const { last } = upstreams;
  if (face === 'http') {
    const server = await startListening([RELAY, 'http-http', '0', last.url]);
    const client = openHttpClient(`http://127.0.0.1:${server.port}/mcp`, era);
    return { client, pid: server.pid, stop: () => client.close().then(server.stop) };
  }
  const target = kind === 'stdio' ? ['stdio-stdio', last.command, ...last.args] : ['stdio-http', last.url];
  const client = openStdioClient({ command: process.execPath, args: [RELAY, ...target] }, era);
  return { client, pid: client.pid, stop: () => client.close() };
}

async function openDirect({ kind, era, upstreams }) {
  const { last } = upstreams;
  const client = kind === 'stdio' ? openStdioClient(last, era) : openHttpClient(last.url, era);
  return { client, pid: undefined, stop: () => client.close() };
}

const OPENERS = { direct: openDirect, relay: openRelay, gateway: openGateway };

/** Starts a target and waits for its first right answer; `place` is kept between starts of one gateway. */
export async function openTarget(name, scenario) {
  const started = performance.now();
  const place = name === 'gateway' ? (scenario.place ?? createPlace(scenario.upstreams)) : undefined;
  const opened = await OPENERS[name]({ ...scenario, place });
  const { client } = opened;
  const tool = scenario.upstreams.tool;
  const call = async (text = 'a text of some length, as people write it') => {
    const { content } = await client.request('tools/call', { name: tool, arguments: { text } });
    if (content?.[0]?.text !== text) throw new Error(`${name}: a wrong answer: ${JSON.stringify(content)}`);
  };
  await client.greet();
  await untilRight(call);
  return { name, ...opened, call, place, readyMs: performance.now() - started };
}

/** Calls until the answer is right: on a busy machine a gateway that just started may not know its servers yet. */
async function untilRight(call) {
  const end = performance.now() + READY_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

// Starts the built product in search mode in front of a set's servers, and asks it as a client does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const FIXTURE = fileURLToPath(new URL('../../test/fixtures/corpus-http.mjs', import.meta.url));
const POLL_MS = 500;
const START_LIMIT_MS = 300_000;
/** How long two equal answers lie apart before nothing is taken to change any more. */
const SETTLED_MS = 1_000;

/** Opens the fixture and a gateway before it; `close` ends both. */
export async function openGateway(tools) {
  if (!existsSync(PROGRAM)) throw new Error('build it first: npm run build');
  const dir = mkdtempSync(join(tmpdir(), 'thimble-product-'));
  const servers = toServers(tools);
  writeFileSync(join(dir, 'servers.json'), JSON.stringify(servers));
  const fixture = spawn(process.execPath, [FIXTURE, join(dir, 'servers.json')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [address] = await once(createInterface({ input: fixture.stdout }), 'line');
  const config = join(dir, 'thimble.jsonc');
  const entries = Object.keys(servers).map((name) => [
    name,
    { url: `${address}/${encodeURIComponent(name)}/mcp` },
  ]);
  writeFileSync(
    config,
    JSON.stringify({ builtin: false, manage: { enabled: false }, mcpServers: Object.fromEntries(entries) }),
  );
  const words = [
    'stdio',
    '--mode',
    'search',
    '--config',
    config,
    '--home',
    join(dir, 'home'),
    '--log-level',
    'error',
  ];
  const child = spawn(process.execPath, [PROGRAM, ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
  const client = openClient(child);
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
  return {
    discover: (args) => client.request('tools/call', { name: 'discover_mcp_tools', arguments: args }),
    async close() {
      child.stdin.end();
      fixture.kill();
      await Promise.all([child, fixture].map((process) => process.exitCode ?? once(process, 'exit')));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Waits until every tool is listed and meanings are worked out; gives what the wait took. */
export async function waitUntilComplete(gateway, { tools, query }) {
  const started = performance.now();
  const elapsed = () => performance.now() - started;
  for (let listed = -1; listed !== tools; await pause(POLL_MS)) {
    listed = countTools(await gateway.discover({ query: '*' }));
    if (elapsed() > START_LIMIT_MS) throw new Error(`only ${listed} of ${tools} tools are listed`);
  }
  const listedMs = elapsed();
  for (let before = '', now = await ask(); before !== now; ) {
    await pause(SETTLED_MS);
    before = now;
    now = await ask();
  }
  return { listedMs, settledMs: elapsed() - SETTLED_MS };

  async function ask() {
    return JSON.stringify((await gateway.discover({ query, limit: 20 }))._meta);
  }
}

/** The paths of an answer, best first. */
export function pathsOf(answer) {
  return (answer._meta?.hits ?? []).map(({ path }) => path);
}

function toServers(tools) {
  const servers = {};
  for (const { server, serverTitle, name, description, inputSchema } of tools) {
    servers[server] ??= { title: serverTitle, tools: [] };
    servers[server].tools.push({ name, description, inputSchema });
  }
  return servers;
}

function countTools({ content: [{ text }] }) {
  const counts = text.split('\n').map((line) => /^\S+ (\d+) tools/.exec(line)?.[1] ?? 0);
  return counts.reduce((sum, count) => sum + Number(count), 0);
}

function openClient(child) {
  const waiting = new Map();
  let lastId = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line);
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (error) waiter?.reject(new Error(error.message));
    else waiter?.resolve(result);
  });
  child.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the gateway ended with ${code}`));
  });
  return {
    request(method, params) {
      const id = ++lastId;
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
  };
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

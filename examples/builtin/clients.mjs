// SDK clients of the gateway in either protocol era, and how each exposure mode is asked for a tool.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const ERAS = { legacy: 'legacy', modern: { pin: '2026-07-28' } };

/** A client that has not met its server yet. */
export function createClient(era) {
  return new Client(
    { name: `example-${era}`, version: '1.0.0' },
    { versionNegotiation: { mode: ERAS[era] } },
  );
}

/** Starts `thimble stdio` in a mode and connects to it. */
export async function openStdio(program, words, mode, era) {
  const client = createClient(era);
  const args = [program, 'stdio', '--mode', mode, ...words];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return client;
}

/** Connects to a mode of a running gateway over Streamable HTTP. */
export async function openHttp(url, mode, era) {
  const client = createClient(era);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp/${mode}`)));
  return client;
}

/** Starts `thimble serve` on a free port; `close` stops it. */
export async function serve(program, words) {
  const child = spawn(process.execPath, [program, 'serve', '--port', '0', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`thimble serve ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /(http:\/\/\S+)\/mcp/.exec(line)?.[1];
      if (found) resolve(found);
    });
  });
  const close = async () => {
    child.kill();
    await once(child, 'exit');
  };
  return { url, close };
}

/** For each mode: the calls that lead to a tool of a server; the last one is its own. */
export const MODES = {
  direct: (_, name, args) => [{ name, arguments: args }],
  search: (server, name, args) => [
    { name: 'discover_mcp_tools', arguments: { query: name.replaceAll('_', ' '), limit: 3 } },
    { name: 'execute_mcp_tool', arguments: { tool_path: `${server}:${name}`, arguments: args } },
  ],
  category: (server, name, args) => [
    { name: `thimble_${server}`, arguments: { action: name, params: args } },
  ],
  activate: (server, name, args) => [
    { name: 'thimble_activate_server', arguments: { server } },
    { name, arguments: args },
  ],
};

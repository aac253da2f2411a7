// Raw clients of the gateway: stdio and HTTP, each in either protocol era.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
const META = 'io.modelcontextprotocol/';
const CLIENT = { name: 'example', version: '1.0.0' };
const GREETING = { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT };
const ENVELOPE = {
  [`${META}protocolVersion`]: MODERN,
  [`${META}clientInfo`]: CLIENT,
  [`${META}clientCapabilities`]: {},
};

/** Starts `thimble stdio --mode search` and talks to it through its standard streams. */
export async function openStdio(program, words, era) {
  const child = spawn(process.execPath, [program, 'stdio', '--mode', 'search', ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const exchange = (message) =>
    new Promise((resolve) => {
      waiting.set(message.id, resolve);
      send(message);
    });
  const client = toClient(exchange, era);
  if (era === 'legacy') {
    await client.request('initialize', GREETING);
    send({ method: 'notifications/initialized' });
  }
  const close = async () => {
    child.stdin.end();
    await once(child, 'exit');
  };
  return { ...client, close };
}

/** Talks to a running gateway over Streamable HTTP. */
export async function openHttp(url, era) {
  let session = {};
  const post = async (message) => {
    const response = await fetch(`${url}/mcp/search`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(era === 'modern' ? toModernHeaders(message) : session),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    const id = response.headers.get('mcp-session-id');
    if (id) session = { 'mcp-session-id': id, 'mcp-protocol-version': LEGACY };
    return parse(await response.text());
  };
  const client = toClient(post, era);
  if (era === 'legacy') {
    await client.request('initialize', GREETING);
    await post({ method: 'notifications/initialized' });
  }
  return { ...client, close: async () => {} };
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

function toClient(exchange, era) {
  let lastId = 0;
  return {
    async request(method, params = {}) {
      lastId += 1;
      const full = era === 'modern' ? { ...params, _meta: ENVELOPE } : params;
      const { result, error } = await exchange({ id: lastId, method, params: full });
      if (error) throw new Error(`${method}: ${error.message}`);
      return result;
    },
  };
}

function toModernHeaders({ method, params }) {
  return {
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(params.name && { 'mcp-name': params.name }),
  };
}

/** An answer is one JSON body, or a stream of events whose last one is the answer. */
function parse(text) {
  if (text === '') return {};
  if (!text.startsWith('{')) {
    const events = text.split('\n').filter((line) => line.startsWith('data: {'));
    return JSON.parse(events.at(-1).slice('data: '.length));
  }
  return JSON.parse(text);
}

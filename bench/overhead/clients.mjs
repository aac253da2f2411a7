/** Raw clients for the meter, stdio and HTTP, either era: the same small cost for every target. */
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';

const MODERN = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const ENVELOPE = {
  [`${META}protocolVersion`]: MODERN,
  [`${META}clientInfo`]: { name: 'bench', version: '1' },
  [`${META}clientCapabilities`]: {},
};

/** Adds to parameters what every request of the era carries. */
function toParams(era, params) {
  return era === 'modern' ? { ...params, _meta: ENVELOPE } : params;
}

async function greet(client, era) {
  if (era === 'modern') return;
  const clientInfo = { name: 'bench', version: '1' };
  await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  client.notify('notifications/initialized');
}

/** Talks to a program over its standard streams. */
export function openStdioClient({ command, args, cwd, env }, era) {
  const child = spawn(command, args, { cwd, env: env ?? process.env, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  let lastId = 0;
  let rest = Buffer.alloc(0);
  child.stdout.on('data', (chunk) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      const message = JSON.parse(bytes.toString('utf8', start, end));
      start = end + 1;
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
    rest = bytes.subarray(start);
  });
  child.stdin.on('error', () => {});
  const gone = new Promise((resolve) => child.once('exit', resolve));
  gone.then(() => {
    for (const settle of waiting.values()) settle({ error: { message: 'the program ended' } });
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    pid: child.pid,
    greet() {
      return greet(this, era);
    },
    notify: (method) => send({ method }),
    request(method, params = {}) {
      lastId += 1;
      const id = lastId;
      const answer = new Promise((resolve) => waiting.set(id, resolve));
      send({ id, method, params: toParams(era, params) });
      return answer.then(toResult);
    },
    async close() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await gone;
      clearTimeout(timer);
    },
  };
}

/** Talks to a Streamable HTTP server over kept-alive connections. */
export function openHttpClient(url, era) {
  const agent = new Agent({ keepAlive: true, maxSockets: 256, noDelay: true });
  const target = new URL(url);
  let session;
  let lastId = 0;

  function post(message) {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': Buffer.byteLength(body),
      ...(session && { 'mcp-session-id': session }),
      ...(era === 'modern' && toModernHeaders(message)),
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(target, { method: 'POST', agent, headers }, (response) => {
        session ??= response.headers['mcp-session-id'];
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
        response.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  return {
    greet() {
      return greet(this, era);
    },
    notify: (method) => void post({ method }),
    async request(method, params = {}) {
      lastId += 1;
      return toResult(readAnswer(await post({ id: lastId, method, params: toParams(era, params) })));
    },
    async close() {
      agent.destroy();
    },
  };
}

function toModernHeaders({ method, params }) {
  const name = params?.name;
  return {
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  };
}

function readAnswer(text) {
  if (text.startsWith('{')) return JSON.parse(text);
  const data = text.split('\n').findLast((line) => line.startsWith('data: {'));
  if (data === undefined) throw new Error(`no answer in: ${text.slice(0, 200)}`);
  return JSON.parse(data.slice(6));
}

function toResult(message) {
  if (message.error) throw new Error(message.error.message);
  return message.result;
}

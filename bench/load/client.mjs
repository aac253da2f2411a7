/** One client of the load: a session of either era with a canary of its own that must never be seen by another. */
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';

const MODERN = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Opens a session; `canaries` are those of all clients. */
export function createClient(url, era, canaries) {
  const canary = `canary-${randomBytes(8).toString('hex')}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  let session;
  let lastId = 0;
  canaries.add(canary);

  async function send(method, body, headers, onRequest) {
    try {
      return await sendOnce(method, body, headers, onRequest);
    } catch (error) {
      // A connection that rested may be closed at the other end in the same moment; nothing of the request arrived then.
      if (error.code !== 'ECONNRESET' || !error.reused) throw error;
      return sendOnce(method, body, headers, onRequest);
    }
  }

  function sendOnce(method, body, headers, onRequest) {
    return new Promise((resolve, reject) => {
      const options = { method, agent, headers: { ...HEADERS, ...headers } };
      const outgoing = request(url, options, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
        response.on('error', reject);
      });
      outgoing.on('error', (error) =>
        reject(Object.assign(error, { reused: outgoing.reusedSocket && outgoing.res === null })),
      );
      outgoing.end(body === undefined ? undefined : JSON.stringify({ jsonrpc: '2.0', ...body }));
      onRequest?.(outgoing);
    });
  }

  const sessionHeaders = () => (session === undefined ? {} : { 'mcp-session-id': session });

  function toCall(tool) {
    // Every client uses the same small ids, so that a mix-up would show.
    lastId = (lastId + 1) % 8;
    const text = `${canary} ${randomBytes(6).toString('hex')} ${'x'.repeat(200)}`;
    const params = { name: tool, arguments: { text } };
    const envelope = {
      [`${META}protocolVersion`]: MODERN,
      [`${META}clientInfo`]: { name: canary, version: '1' },
      [`${META}clientCapabilities`]: {},
    };
    const modern = era === 'modern';
    return {
      text,
      body: { id: lastId, method: 'tools/call', params: modern ? { ...params, _meta: envelope } : params },
      headers: modern
        ? { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': tool }
        : sessionHeaders(),
    };
  }

  /** What is wrong with an answer; undefined when it is right. */
  function findFault({ status, text: got }, { text, body }) {
    for (const seen of got.match(/canary-[0-9a-f]{16}/g) ?? [])
      if (seen !== canary && canaries.has(seen)) return `a foreign canary: ${got.slice(0, 200)}`;
    if (status !== 200) return `status ${status}: ${got.slice(0, 200)}`;
    const json = got.startsWith('{') ? got : got.slice(got.lastIndexOf('data: {') + 6);
    const answer = JSON.parse(json);
    if (answer.id !== body.id) return `the id of another request: ${got.slice(0, 200)}`;
    return answer.result?.content?.[0]?.text === text ? undefined : `a wrong answer: ${got.slice(0, 200)}`;
  }

  return {
    busy: false,
    async open() {
      if (era === 'modern') return;
      const clientInfo = { name: canary, version: '1' };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
      const answer = await send('POST', { id: 0, method: 'initialize', params });
      session = answer.headers['mcp-session-id'];
      await send('POST', { method: 'notifications/initialized' }, sessionHeaders());
    },
    /** One call; resolves with its fault, if any. */
    async call(tool) {
      const sent = toCall(tool);
      return findFault(await send('POST', sent.body, sent.headers), sent);
    },
    /** One call whose connection is cut before the answer. */
    async drop(tool, afterMs) {
      const sent = toCall(tool);
      await send('POST', sent.body, sent.headers, (outgoing) =>
        setTimeout(() => outgoing.destroy(new Error('dropped')), afterMs),
      ).catch(() => {});
    },
    async close() {
      if (session !== undefined) await send('DELETE', undefined, sessionHeaders());
      session = undefined;
      agent.destroy();
    },
  };
}

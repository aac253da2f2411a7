// Thimble as a library: a gateway with one server, asked over HTTP.
// Run it: npm run build && node examples/library/main.mjs
// It checks its own result and exits with 1 when that is wrong.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { createGateway } from 'thimble';

const server = fileURLToPath(new URL('hello-server.mjs', import.meta.url));
const gateway = await createGateway({
  builtin: false,
  exposure: { mode: 'direct' },
  mcpServers: { hello: { command: process.execPath, args: [server] } },
});
const { url, close } = await gateway.listen({ port: 0 });

try {
  const tools = await ask('tools/list');
  assert.deepEqual(
    tools.tools.map((tool) => tool.name),
    ['hello'],
  );
  const result = await ask('tools/call', { name: 'hello', arguments: { name: 'Ada' } });
  assert.equal(result.content[0].text, 'Hello, Ada!');
  assert.equal((await gateway.health()).toolCounts.total, 1);
  console.log(`${url}/mcp answered: ${result.content[0].text}`);
} finally {
  await close();
  await gateway[Symbol.asyncDispose]();
}

/** One request of protocol revision 2026-07-28: no handshake, everything is in the request. */
async function ask(method, params = {}) {
  const version = '2026-07-28';
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(params.name ? { 'mcp-name': params.name } : {}),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': version,
          'io.modelcontextprotocol/clientInfo': { name: 'example', version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  const { result, error } = await response.json();
  assert.equal(error, undefined);
  return result;
}

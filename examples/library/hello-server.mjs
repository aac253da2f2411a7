// The smallest MCP server there is: one tool, over stdio, without any library.
import { createInterface } from 'node:readline';

const tool = {
  name: 'hello',
  description: 'Greets someone',
  inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'hello', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: { name } }) => ({ content: [{ type: 'text', text: `Hello, ${name}!` }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const outcome = answer
    ? { result: answer(params) }
    : { error: { code: -32601, message: `no method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
}

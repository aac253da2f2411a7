// A tiny MCP server over stdio, without any library: enough of both protocol eras for an example.
import { createInterface } from 'node:readline';

const MODERN = '2026-07-28';

/** Serves tools (each with `run`) and resources (each with `text`); `era` says which protocol era it speaks. */
export async function serveTiny({ name, title, era, tools, resources = [] }) {
  const capabilities = { tools: {}, resources: {} };
  const serverInfo = { name, title, version: '1.0.0' };
  const greetings = {
    legacy: { initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo }) },
    modern: { 'server/discover': () => ({ supportedVersions: [MODERN], capabilities }) },
  };
  const answers = {
    ...greetings[era],
    'tools/list': () => ({ tools: tools.map(({ run, ...tool }) => tool) }),
    'tools/call': (params) => ({
      content: [
        { type: 'text', text: tools.find((tool) => tool.name === params.name).run(params.arguments) },
      ],
    }),
    'resources/list': () => ({ resources: resources.map(({ text, ...resource }) => resource) }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': ({ uri }) => ({
      contents: [{ uri, text: resources.find((resource) => resource.uri === uri).text }],
    }),
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    const answer = answers[method];
    const outcome = answer
      ? { result: { ...(era === 'modern' && { resultType: 'complete' }), ...answer(params) } }
      : { error: { code: -32601, message: `no method ${method}` } };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
  }
}

/** The schema of an object whose members are all texts. */
export function texts(required, optional = {}) {
  const properties = Object.entries({ ...required, ...optional }).map(([name, description]) => [
    name,
    { type: 'string', description },
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: Object.keys(required),
    additionalProperties: false,
  };
}

// What the suite's client scenarios start: a gateway whose only upstream is the server at the address given last,
// and a client behind it that lists everything and uses all it is shown.
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { createGateway } from '../dist/index.js';

const CALL_MS = 20_000;
const ALL_MS = 55_000;
const url = process.argv.at(-1);
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

/** Arguments for tools that need some; the rest get what their schema requires, or none. */
const ARGUMENTS = {
  add_numbers: () => ({ a: 5, b: 3 }),
  json_schema_echo: (tools) => ({
    schema: tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema,
  }),
};

// The suite forgets clients that are late, so that this one ends by itself.
setTimeout(() => process.exit(1), ALL_MS).unref();

const gateway = await createGateway({ mcpServers: { suite: { type: 'http', url } } });
// The suite starts all its clients at once, so that the first contact may take longer than a list waits for it.
await Promise.all(gateway.upstreams.all.map((upstream) => upstream.firstContact));
const server = await gateway.listen({ host: '127.0.0.1', port: 0 });
const client = new LegacyClient(
  { name: 'conformance-client', version: '1.0.0' },
  { capabilities: { elicitation: { form: { applyDefaults: true } } } },
);
client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({
  action: 'accept',
  content: 'confirmed' in (params.requestedSchema?.properties ?? {}) ? { confirmed: true } : {},
}));

try {
  await client.connect(new LegacyTransport(new URL(`${server.url}/mcp`)));
  await useEverything();
} finally {
  await client.close();
  await server.close();
  await gateway[Symbol.asyncDispose]();
}

async function useEverything() {
  const { tools } = await ask('tools/list');
  const calls =
    context.toolCalls ??
    tools.map(({ name, inputSchema }) => ({
      name,
      arguments: ARGUMENTS[name]?.(tools) ?? toArguments(inputSchema),
    }));
  for (const call of calls) await tryTo('tools/call', call);
  const { resources = [] } = await tryTo('resources/list');
  for (const { uri } of resources) await tryTo('resources/read', { uri });
  const { prompts = [] } = await tryTo('prompts/list');
  for (const { name } of prompts) await tryTo('prompts/get', { name });
}

function ask(method, params = {}) {
  return client.request({ method, params }, ResultSchema, { timeout: CALL_MS });
}

/** Asks, and goes on with the rest when that fails; the program then ends with an error. */
async function tryTo(method, params) {
  try {
    return await ask(method, params);
  } catch (error) {
    process.stderr.write(`${method} ${JSON.stringify(params ?? {})}: ${error.message}\n`);
    process.exitCode = 1;
    return {};
  }
}

/** A value for each argument a schema requires. */
function toArguments({ properties = {}, required = [] }) {
  const values = { string: 'a', integer: 1, number: 1, boolean: true, object: {}, array: [], null: null };
  return Object.fromEntries(required.map((name) => [name, values[properties[name]?.type] ?? 'a']));
}

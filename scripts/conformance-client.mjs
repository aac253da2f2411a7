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

/** The document that the suite takes for ours; it is never fetched. */
const CLIENT_METADATA_URL = 'https://conformance-test.local/client-metadata.json';

/** A person who lets everybody in: the suite's authorization servers send them back at once. */
const authoriser = {
  redirectUrl: 'http://localhost:3000/callback',
  async authorise(address) {
    const response = await fetch(address, { redirect: 'manual' });
    return new URL(response.headers.get('location')).searchParams;
  },
};

// The suite forgets clients that are late, so that this one ends by itself.
setTimeout(() => process.exit(1), ALL_MS).unref();

const gateway = await createGateway(
  {
    builtin: false,
    manage: { enabled: false },
    exposure: { mode: 'direct' },
    mcpServers: { suite: { type: 'http', url, auth: await toAuth() } },
  },
  { authoriser },
);
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

/** What an operator would have written down for this scenario. */
async function toAuth() {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context;
  if (clientId === undefined) return { clientMetadataUrl: CLIENT_METADATA_URL };
  if (!context.name?.startsWith('auth/client-credentials')) return { clientId, clientSecret };
  // Operators know where they registered their client.
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url));
  const [issuer] = (await metadata.json()).authorization_servers;
  const algorithm = context.signing_algorithm ?? 'ES256';
  return { type: 'client-credentials', clientId, clientSecret, issuer, privateKey, algorithm };
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

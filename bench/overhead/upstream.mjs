/** A mock upstream without a library, stdio or HTTP, either era: its own cost must not hide the gateway's. */
import { createServer } from 'node:http';

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : process.argv[at + 1];
};
const MODERN = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const era = option('era', 'legacy');
const count = Number(option('tools', '10'));
const delay = Number(option('delay', '0'));

/** Tools with schemas of the size people write: a few parameters, each with a sentence. */
function toTool(prefix, at) {
  if (at === 0)
    return {
      name: `${prefix}echo`,
      description: 'Gives back the text it was given.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    };
  const names = ['path', 'query', 'limit', 'format'].slice(0, 1 + (at % 4));
  const property = (name) => [
    name,
    { type: name === 'limit' ? 'integer' : 'string', description: `The ${name} to use for step ${at}.` },
  ];
  return {
    name: `${prefix}tool_${at}`,
    description: `Does step ${at} of the work: reads what is asked for, changes nothing, and reports in plain words.`,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(names.map(property)),
      required: [names[0]],
    },
  };
}

function createAnswers(name) {
  const prefix = name === '' ? '' : `${name}_`;
  const info = { name: name || 'mock', version: '1.0.0' };
  const tools = Array.from({ length: count }, (_, at) => toTool(prefix, at));
  const modern = { resultType: 'complete', _meta: { [`${META}serverInfo`]: info } };
  const common = { capabilities: { tools: {} } };
  const list = JSON.stringify({
    tools,
    ...(era === 'modern' && { ...modern, ttlMs: 0, cacheScope: 'private' }),
  });
  return function answer({ id, method, params }, send) {
    const reply = (text) => send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`);
    const refuse = () =>
      send(
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"Method not found"}}`,
      );
    if (method === 'tools/call') {
      const content = [{ type: 'text', text: String(params?.arguments?.text) }];
      const text = JSON.stringify(era === 'modern' ? { content, ...modern } : { content });
      if (delay > 0) setTimeout(reply, delay, text);
      else reply(text);
    } else if (method === 'tools/list') reply(list);
    else if (method === 'ping') reply('{}');
    else if (method === 'initialize' && era === 'legacy')
      reply(JSON.stringify({ protocolVersion: params.protocolVersion, serverInfo: info, ...common }));
    else if (method === 'server/discover' && era === 'modern')
      reply(
        JSON.stringify({
          supportedVersions: [MODERN],
          ...common,
          ...modern,
          ttlMs: 0,
          cacheScope: 'private',
        }),
      );
    else refuse();
  };
}

function serveStdio() {
  const answer = createAnswers(option('name', ''));
  let rest = Buffer.alloc(0);
  const send = (text) => process.stdout.write(`${text}\n`);
  process.stdin.on('data', (chunk) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      const message = JSON.parse(bytes.toString('utf8', start, end));
      start = end + 1;
      if (message.id !== undefined && message.method) answer(message, send);
    }
    rest = bytes.subarray(start);
  });
  process.stdin.on('end', () => process.exit(0));
}

function serveHttp(port) {
  const servers = Array.from({ length: Number(option('servers', '1')) }, (_, at) =>
    createAnswers(option('names', '') === '' ? '' : `s${at}`),
  );
  const server = createServer((request, response) => {
    const answer = servers[Number(/^\/s(\d+)\/mcp$/.exec(request.url)?.[1] ?? -1)];
    if (answer === undefined || request.method !== 'POST') {
      response.writeHead(answer === undefined ? 404 : 405).end();
      request.resume();
      return;
    }
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const message = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      if (message.id === undefined || !message.method) response.writeHead(202).end();
      else
        answer(message, (text) => {
          const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
          response.writeHead(200, headers).end(text);
        });
    });
  });
  server.keepAliveTimeout = 600_000;
  server.listen(port, '127.0.0.1', () => process.stdout.write(`ready at ${server.address().port}\n`));
}

if (option('http') === undefined) serveStdio();
else serveHttp(Number(option('http')));

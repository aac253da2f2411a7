// Search mode from end to end: find a tool by what it does, call it, list and read a resource; over stdio and HTTP, in
// both protocol eras. Run it: npm run build && node examples/search/main.mjs
// It checks its own results and exits with 1 when one is wrong.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openHttp, openStdio, serve } from './clients.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const program = here('../../dist/main.js');
const dir = await mkdtemp(join(tmpdir(), 'thimble-example-'));
const config = join(dir, 'thimble.jsonc');
const words = ['--config', config, '--home', join(dir, 'home'), '--log-level', 'warn'];
const server = (file) => ({ command: process.execPath, args: [here(file)] });

try {
  const mcpServers = { github: server('github-server.mjs'), notes: server('notes-server.mjs') };
  await writeFile(config, JSON.stringify({ builtin: false, manage: { enabled: false }, mcpServers }));
  for (const era of ['legacy', 'modern']) {
    await check(await openStdio(program, words, era), `stdio, ${era}`);
  }
  const running = await serve(program, words);
  try {
    for (const era of ['legacy', 'modern']) await check(await openHttp(running.url, era), `HTTP, ${era}`);
  } finally {
    await running.close();
  }
} finally {
  await rm(dir, { recursive: true, force: true });
}

async function check(client, what) {
  try {
    await runFlow((name, args) => client.request('tools/call', { name, arguments: args }), client);
    console.log(`${what}: found, called, listed and read`);
  } finally {
    await client.close();
  }
}

async function runFlow(call, client) {
  const { tools } = await client.request('tools/list');
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['discover_mcp_tools', 'execute_mcp_tool', 'list_mcp_resources', 'read_mcp_resource'],
  );

  const found = await call('discover_mcp_tools', { query: 'github create issue' });
  assert.equal(found._meta.hits[0].path, 'github:create_issue');
  assert.match(
    textOf(found),
    /^github:create_issue\(owner: string, repo: string, title: string, body\?: string\)\n/,
  );

  const issue = { owner: 'ada', repo: 'engine', title: 'It jams' };
  const refused = await call('execute_mcp_tool', {
    tool_path: 'github:create_issue',
    arguments: { owner: 'ada' },
  });
  assert.equal(refused.isError, true);
  assert.match(textOf(refused), /repo/);
  const created = await call('execute_mcp_tool', { tool_path: 'github:create_issue', arguments: issue });
  assert.match(textOf(created), /^created ada\/engine#\d+: It jams$/);

  const noted = await call('discover_mcp_tools', { query: 'remember something for later', limit: 1 });
  assert.equal(noted._meta.hits[0].path, 'notes:add_note');

  const listed = await call('list_mcp_resources', { server: 'github' });
  assert.match(textOf(listed), /^github\|repo:\/\/thimble\/readme /);
  const read = await call('read_mcp_resource', { uri: 'github|repo://thimble/readme' });
  assert.equal(read.content[0].resource.text, '# A readme');
}

function textOf({ content: [{ text }] }) {
  return text;
}

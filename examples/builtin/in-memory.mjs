// The built-in servers as a library: each made from a store that lives in memory, and asked by an SDK client in this
// process. Run it: npm run build && node examples/builtin/in-memory.mjs
// It checks its own results and exits with 1 when one is wrong.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { createMemoryStore } from 'thimble';
import { createMemoryServer } from 'thimble/memory';
import { createProjectsServer } from 'thimble/projects';
import { createStorageServer } from 'thimble/storage';
import { createClient } from './clients.mjs';

for (const era of ['legacy', 'modern']) {
  // One store for all of them: each has tables of its own in it.
  const store = createMemoryStore();
  const memory = await open(
    createMemoryServer({ store, instructions: async () => 'Remember what matters.' }),
    era,
  );
  const projects = await open(createProjectsServer({ store }), era);
  // Its rows are in the store as well; the bytes of files are too many for that and go to a folder.
  const home = await mkdtemp(join(tmpdir(), 'thimble-example-'));
  const storage = await open(createStorageServer({ store, home }), era);
  try {
    assert.equal(memory.client.getInstructions(), 'Remember what matters.');
    await memory.ask('store_memory', { content: 'The meeting moved to Thursday' });
    const { memories } = await memory.ask('recall_by_context', { context: 'On which day do we meet?' });
    assert.equal(memories[0].content, 'The meeting moved to Thursday');

    const project = await projects.ask('create_project', { name: 'Thursday' });
    await projects.ask('add_note', { project_id: project.id, content: 'Bring the figures' });
    assert.equal((await projects.ask('project_stats', {})).notes, 1);

    const data_base64 = Buffer.from('agenda').toString('base64');
    await storage.ask('upload_file', { file_name: 'agenda.txt', data_base64 });
    assert.equal((await storage.ask('storage_stats', {})).used_bytes, 6);
    console.log(`${era}: three servers in memory answered`);
  } finally {
    for (const { client } of [memory, projects, storage]) await client.close();
    await store[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
  }
}

/** Connects a client to a server without any wire between them. */
async function open(server, era) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = createClient(era);
  await client.connect(near);
  const ask = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    assert.notEqual(result.isError, true, result.content[0].text);
    return result.structuredContent;
  };
  return { client, ask };
}

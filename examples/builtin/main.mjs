// Memory, projects and storage in one conversation: remember, recall, correct, research, cite, keep a file and fetch it.
// SDK clients of both protocol eras hold it over stdio and HTTP, in four exposure modes.
// Run it: npm run build && node examples/builtin/main.mjs
// It checks its own results and exits with 1 when one is wrong.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MODES, openHttp, openStdio, serve } from './clients.mjs';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const dir = await mkdtemp(join(tmpdir(), 'thimble-example-'));
const config = join(dir, 'thimble.jsonc');
const words = ['--config', config, '--home', join(dir, 'home'), '--log-level', 'warn'];

try {
  await writeFile(config, JSON.stringify({ builtin: { blog: false, sharing: false } }));
  for (const mode of Object.keys(MODES))
    for (const era of ['legacy', 'modern']) await hold(await openStdio(program, words, mode, era), mode, era);
  const running = await serve(program, words);
  try {
    for (const mode of Object.keys(MODES))
      for (const era of ['legacy', 'modern'])
        await hold(await openHttp(running.url, mode, era), mode, era, running.url);
  } finally {
    await running.close();
  }
} finally {
  await rm(dir, { recursive: true, force: true });
}

/** One conversation; its words are its own, since all of them share one home. */
async function hold(client, mode, era, url) {
  const carrier = url === undefined ? 'stdio' : 'HTTP';
  const name = `${mode}${era}${carrier}`.toLowerCase();
  const use = async (server, tool, args) => {
    let result;
    for (const call of MODES[mode](server, tool, args)) result = await client.callTool(call);
    return result;
  };
  const ask = async (server, tool, args) => {
    const result = await use(server, tool, args);
    assert.notEqual(result.isError, true, `${tool}: ${result.content[0].text}`);
    return result.structuredContent;
  };
  try {
    await remember(ask, name);
    await research(ask, name);
    await keepFile(ask, use, name, url);
    console.log(`${carrier}, ${era}, ${mode}: remembered, researched and kept`);
  } finally {
    await client.close();
  }
}

async function remember(ask, name) {
  const content = `Ada of ${name} takes her tea without milk`;
  const { id } = await ask('memory', 'store_memory', { content, category: 'preference', importance: 8 });
  const situation = `Good morning! How does Ada of ${name} take her tea?`;
  const recalled = await ask('memory', 'recall_by_context', { context: situation, limit: 1 });
  assert.deepEqual(
    recalled.memories.map((memory) => [memory.id, memory.content]),
    [[id, content]],
  );
  await ask('memory', 'update_memory', { id, content: `Ada of ${name} drinks coffee now` });
  const found = await ask('memory', 'search_memories', { query: `coffee ${name}`, limit: 1 });
  assert.equal(found.memories[0].content, `Ada of ${name} drinks coffee now`);
  assert.equal(found.memories[0].category, 'preference');
}

async function research(ask, name) {
  const project = await ask('projects', 'create_project', { name: `Engines, ${name}` });
  const source = await ask('projects', 'add_source', {
    project_id: project.id,
    title: 'Sketch of the Analytical Engine',
    source_type: 'web_article',
    authors: 'Menabrea, Luigi; Lovelace, Ada',
    publication_date: '1843',
    url: 'https://example.com/sketch',
  });
  assert.match(source.citation, /Menabrea/);
  const note = await ask('projects', 'add_note', {
    source_id: source.id,
    note_type: 'summary',
    content: `The engine weaves algebraic patterns, ${name}`,
  });
  assert.equal(note.project_id, project.id);
  const { notes } = await ask('projects', 'search_notes', {
    query: 'who weaves patterns?',
    project_id: project.id,
  });
  assert.deepEqual(
    notes.map(({ id }) => id),
    [note.id],
  );
  const cite = (format) => ask('projects', 'generate_bibliography', { project_id: project.id, format });
  assert.match((await cite('apa')).bibliography, /^Menabrea, L\., & Lovelace, A\. \(1843\)\./);
  assert.match(
    (await cite('bibtex')).bibliography,
    /^@\w+\{[\s\S]*author = \{Menabrea, Luigi and Lovelace, Ada\}/m,
  );
}

async function keepFile(ask, use, name, url) {
  const text = `minutes of ${name}\n`;
  const kept = await ask('storage', 'upload_file', {
    file_name: `${name}.txt`,
    data_base64: Buffer.from(text).toString('base64'),
    reference_type: 'example',
    reference_id: name,
  });
  const { files } = await ask('storage', 'list_files', { reference_type: 'example', reference_id: name });
  assert.deepEqual(
    files.map(({ key, size }) => [key, size]),
    [[kept.key, text.length]],
  );
  if (url === undefined) {
    // Nobody listens, so there can be no link; the answer says so instead of giving a dead one.
    const refused = await use('storage', 'get_file_url', { key: kept.key });
    assert.equal(refused.isError, true);
    assert.match(refused.content[0].text, /serve/);
    return;
  }
  const link = await ask('storage', 'get_file_url', { key: kept.key, expiry: 60 });
  assert.ok(link.url.startsWith(url));
  assert.equal(await (await fetch(link.url)).text(), text);
  assert.equal((await fetch(link.url.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')))).status, 403);
  const place = await ask('storage', 'upload_file', { file_name: `${name}-large.bin` });
  const bytes = Buffer.alloc(2_000_000, name);
  assert.equal((await fetch(place.upload_url, { method: 'PUT', body: bytes })).status, 201);
  const large = await ask('storage', 'get_file_url', { key: place.key });
  assert.ok(Buffer.from(await (await fetch(large.url)).arrayBuffer()).equals(bytes));
}

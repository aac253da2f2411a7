// Measures the memory server on a file with many memories: searches by words, by a sentence, and storing.
// Run: node bench/builtin/memory.mjs [--memories 100000] [--words 40] [--check]
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'rolldown';

/** What each kind of request may take at its 95th percentile, in milliseconds. */
const LIMITS = { 'one word': 20, 'two words': 20, 'three words': 20, 'a sentence': 50, recall: 50, store: 5 };
const RUNS = 300;
const VOCABULARY = 20_000;
/** Words of a sentence are drawn as they are in what is stored: most of them are frequent. */
const SENTENCE_WORDS = 14;
const BATCH = 500;

const { values: options } = parseArgs({
  options: {
    memories: { type: 'string', default: '100000' },
    words: { type: 'string', default: '40' },
    check: { type: 'boolean', default: false },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'thimble-bench-memory-'));
try {
  await main(await loadParts());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main({ openStore, createMemoryServer, openMemory }) {
  const path = join(folder, 'thimble.db');
  const store = await openStore(path);
  const random = createRandom(42);
  const words = createVocabulary(random);
  const started = performance.now();
  await fill(await openMemory({ store }), words);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const megabytes = (statSync(path).size / 1e6).toFixed(0);
  process.stdout.write(
    `${options.memories} memories of ${options.words} words in ${seconds} s, ${megabytes} MB\n`,
  );

  const call = createClient(createMemoryServer({ store }));
  const text = (count) => Array.from({ length: count }, words.next).join(' ');
  const kinds = {
    'one word': () => call('search_memories', { query: text(1) }),
    'two words': () => call('search_memories', { query: text(2) }),
    'three words': () => call('search_memories', { query: text(3) }),
    'a sentence': () => call('search_memories', { query: text(SENTENCE_WORDS) }),
    recall: () => call('recall_by_context', { context: text(SENTENCE_WORDS) }),
    store: () => call('store_memory', { content: text(Number(options.words)) }),
  };
  let failed = false;
  for (const [kind, run] of Object.entries(kinds)) {
    const { p50, p95, max } = await measure(run);
    failed ||= p95 > LIMITS[kind];
    const verdict = p95 > LIMITS[kind] ? 'TOO SLOW' : 'ok';
    const figures = [p50, p95, max].map((ms) => ms.toFixed(2).padStart(8)).join('');
    process.stdout.write(
      `${kind.padEnd(12)} p50, p95, max ms:${figures}   limit ${LIMITS[kind]} ${verdict}\n`,
    );
  }
  await store[Symbol.asyncDispose]();
  if (failed && options.check) process.exitCode = 1;
}

async function loadParts() {
  const src = fileURLToPath(new URL('../../src', import.meta.url));
  const entry = join(folder, 'entry.mjs');
  writeFileSync(
    entry,
    [
      `export { openStore } from '${src}/store/open.ts';`,
      `export { createMemoryServer } from '${src}/builtin/memory/server.ts';`,
      `export { openMemory } from '${src}/builtin/memory/context.ts';`,
    ].join('\n'),
  );
  // Inside the checkout, so that the driver is found beside it.
  const out = fileURLToPath(new URL('../../node_modules/.cache/thimble-bench-memory', import.meta.url));
  await build({
    input: { parts: entry },
    platform: 'node',
    logLevel: 'warn',
    transform: { target: 'node20' },
    external: ['libsql', 'libsql/promise'],
    output: { dir: out, format: 'esm', entryFileNames: '[name].mjs', cleanDir: true },
  });
  return import(pathToFileURL(join(out, 'parts.mjs')).href);
}

/** Rows are written many at a time here; storing one by one is measured afterwards. */
async function fill({ db, principal }, words) {
  const count = Number(options.memories);
  for (let at = 0; at < count; at += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - at) }, (_, inner) => {
      const created = new Date(Date.UTC(2026, 0, 1) + (at + inner) * 60_000).toISOString();
      return {
        principal,
        category: ['general', 'preference', 'project', 'person'][(at + inner) % 4],
        content: Array.from({ length: Number(options.words) }, words.next).join(' '),
        importance: 1 + ((at + inner) % 10),
        created_at: created,
        updated_at: created,
        access_count: 0,
      };
    });
    await db.insertInto('memories').values(rows).execute();
  }
}

/** A client over a transport that hands messages on. */
function createClient(server) {
  const waiting = new Map();
  let id = 0;
  const transport = {
    async start() {},
    async send(message) {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    },
    async close() {},
  };
  const connected = server.connect(transport);
  return async (name, args) => {
    await connected;
    id += 1;
    const answer = new Promise((resolve) => waiting.set(id, resolve));
    transport.onmessage({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
    const { result, error } = await answer;
    if (error || result.isError) throw new Error(error?.message ?? result.content[0].text);
    return result;
  };
}

async function measure(run) {
  const times = [];
  for (let at = 0; at < RUNS; at++) {
    const started = performance.now();
    await run();
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { p50: at(0.5), p95: at(0.95), max: times[times.length - 1] };
}

/** Words as frequent as in real text: the second is half as frequent as the first, and so on. */
function createVocabulary(random) {
  const syllables = [
    'ba',
    'de',
    'fi',
    'go',
    'ku',
    'la',
    'me',
    'ni',
    'po',
    'ru',
    'sa',
    'te',
    'vi',
    'wo',
    'zu',
    'ka',
  ];
  const words = Array.from({ length: VOCABULARY }, (_, at) => {
    const digits = at.toString(16).padStart(2, '0');
    return [...digits].map((digit) => syllables[Number.parseInt(digit, 16)]).join('');
  });
  const sums = [];
  let total = 0;
  for (let rank = 1; rank <= VOCABULARY; rank++) {
    total += 1 / rank;
    sums.push(total);
  }
  return {
    next() {
      const wanted = random() * total;
      let low = 0;
      let high = VOCABULARY - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (sums[middle] < wanted) low = middle + 1;
        else high = middle;
      }
      return words[low];
    },
  };
}

function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

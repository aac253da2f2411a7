// The data sets: tool lists and queries kept outside the project.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where the shared folder is: `SHARED_DIR`, or beside the project. */
export const SHARED = resolve(process.env.SHARED_DIR ?? join(ROOT, '../shared'));

/** Every set, small ones first. */
export const SET_NAMES = ['metatool', 'livemcp', 'toolbench', 'mcp-mid', 'sealtools', 'mcp-large'];

/** One set, with its tools also in the form the engine takes. */
export function loadSet(name) {
  const folder = join(SHARED, 'data/search', name);
  const tools = readLines(join(folder, 'corpus.jsonl'));
  const sources = tools.map((tool) => ({
    key: tool.id,
    name: tool.name,
    definition: tool,
    server: { id: tool.server, name: `${tool.server} ${tool.serverTitle ?? ''}` },
  }));
  return { name, tools, sources, queries: readLines(join(folder, 'queries.jsonl')) };
}

/** The queries that are slow or odd on purpose; empty when the folder is not there. */
export function loadOddQueries() {
  const file = join(SHARED, 'data/cases/search_redos.jsonl');
  return existsSync(file) ? readLines(file).map(({ query }) => query) : [];
}

function readLines(file) {
  const text = existsSync(file)
    ? readFileSync(file, 'utf8')
    : gunzipSync(readFileSync(`${file}.gz`)).toString();
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

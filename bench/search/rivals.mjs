// The rankings ours is compared with: Fuse.js as the first hierarchical router set it, plain BM25, stemmed MiniSearch.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/thimble-bench', import.meta.url));
const PACKAGES = { 'fuse.js': '7.5.0', minisearch: '7.2.0' };

/** Fetches the packages once, into a cache outside the dependencies. */
export function fetchRivals() {
  const marker = join(CACHE, `ready-${Object.values(PACKAGES).join('-')}`);
  if (!existsSync(marker)) {
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(join(CACHE, 'package.json'), '{ "private": true }');
    const wanted = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-save', ...wanted], { cwd: CACHE });
    writeFileSync(marker, '');
  }
  const require = createRequire(join(CACHE, 'package.json'));
  const [Fuse, MiniSearch] = Object.keys(PACKAGES).map((name) => {
    const loaded = require(name);
    return loaded.default ?? loaded;
  });
  return { Fuse, MiniSearch };
}

/** Fuse.js with the keys, weights and threshold of that router's code. */
export function createFuseRanking(Fuse, tools) {
  const index = new Fuse(tools, {
    keys: [
      { name: 'name', weight: 0.4 },
      { name: 'description', weight: 0.35 },
      { name: 'server', weight: 0.25 },
    ],
    includeScore: true,
    threshold: 0.5,
    ignoreLocation: true,
    minMatchCharLength: 2,
    useExtendedSearch: true,
  });
  return (query) => index.search(query, { limit: 10 }).map(({ item }) => item.id);
}

/** MiniSearch over stems, with parameters, nothing fuzzy. */
export function createMiniSearchRanking(MiniSearch, tools, { toTerms }) {
  const index = new MiniSearch({
    fields: ['name', 'server', 'description', 'parameters'],
    tokenize: toTerms,
    processTerm: (term) => term,
    searchOptions: {
      boost: { name: 3, server: 1.5 },
      combineWith: 'OR',
      tokenize: toTerms,
      processTerm: (term) => term,
    },
  });
  index.addAll(tools.map((tool) => ({ ...toFields(tool), id: tool.id })));
  return (query) =>
    index
      .search(query)
      .slice(0, 10)
      .map(({ id }) => id);
}

/** BM25 over one bag of words, not stemmed: name, server and description, and what is said about parameters if asked. */
export function createBm25Ranking(tools, { toWords, parameters: withParameters = false }) {
  const postings = new Map();
  const lengths = tools.map((tool, number) => {
    const { name, server, description, parameters } = toFields(tool);
    const words = toWords(`${server} ${name} ${description} ${withParameters ? parameters : ''}`);
    for (const word of words) {
      const known = postings.get(word) ?? new Map();
      known.set(number, (known.get(number) ?? 0) + 1);
      postings.set(word, known);
    }
    return words.length;
  });
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length || 1;
  return (query) => {
    const scores = new Map();
    for (const word of new Set(toWords(query))) {
      const known = postings.get(word);
      if (!known) continue;
      const rarity = Math.log(1 + (tools.length - known.size + 0.5) / (known.size + 0.5));
      for (const [number, count] of known) {
        const norm = 1.2 * (0.25 + (0.75 * lengths[number]) / mean);
        scores.set(number, (scores.get(number) ?? 0) + (rarity * count * 2.2) / (count + norm));
      }
    }
    return [...scores]
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, 10)
      .map(([number]) => tools[number].id);
  };
}

function toFields(tool) {
  const properties = tool.inputSchema?.properties ?? {};
  const parameters = Object.entries(properties).map(
    ([name, schema]) => `${name} ${schema?.description ?? ''}`,
  );
  return {
    name: tool.name,
    server: tool.server,
    description: tool.description ?? '',
    parameters: parameters.join(' '),
  };
}

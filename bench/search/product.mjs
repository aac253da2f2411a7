// Measures search through the running product, beside the engine alone, which must find the same.
// Run: npm run build && node bench/search/product.mjs [--set livemcp,mcp-mid] [--show] (exits with 1 when the figures differ)
import { parseArgs } from 'node:util';
import { loadEngine } from './engine-bundle.mjs';
import { openGateway, pathsOf, waitUntilComplete } from './gateway.mjs';
import { meanOf, quantile, scoreRanking } from './metrics.mjs';
import { loadSet } from './sets.mjs';

const LIMIT = 10;

const { values: options } = parseArgs({
  options: { set: { type: 'string', default: 'livemcp,mcp-mid' }, show: { type: 'boolean', default: false } },
});
const { createSearchEngine, toUpstreamIds } = await loadEngine();
for (const name of options.set.split(',')) {
  const set = loadSet(name);
  const engine = await rankWithEngine(set);
  const product = await rankWithProduct(set);
  print(set, engine, product);
}

async function rankWithEngine({ sources, queries }) {
  const engine = createSearchEngine();
  engine.update(sources);
  await engine.settled();
  return queries.map(({ query }) => engine.search(query, { limit: LIMIT }).map(({ key }) => key));
}

async function rankWithProduct({ tools, queries }) {
  const idOf = toIds(tools);
  const gateway = await openGateway(tools);
  try {
    const cost = await waitUntilComplete(gateway, { tools: tools.length, query: queries[0].query });
    const times = [];
    const rankings = [];
    for (const { query } of queries) {
      const started = performance.now();
      const answer = await gateway.discover({ query, limit: LIMIT });
      times.push(performance.now() - started);
      rankings.push(pathsOf(answer).map((path) => idOf.get(path) ?? path));
    }
    return { rankings, cost: { ...cost, p50: quantile(times, 0.5), p95: quantile(times, 0.95) } };
  } finally {
    await gateway.close();
  }
}

/** The set's own id of a tool, by the path the gateway prints. */
function toIds(tools) {
  const upstreams = toUpstreamIds(tools.map(({ server }) => server));
  return new Map(tools.map(({ id, server, name }) => [`${upstreams.get(server)}:${name}`, id]));
}

function print({ name, tools, queries }, engine, { rankings, cost }) {
  const rate = (ranked) => meanOf(queries.map((query, at) => scoreRanking(query, ranked[at])));
  const percent = (value) => (100 * value).toFixed(2).padStart(6);
  const rows = { engine: rate(engine), product: rate(rankings) };
  const differing = queries.map((_, at) => at).filter((at) => engine[at].join() !== rankings[at].join());
  const lines = [
    `\n${name}: ${tools.length} tools of ${new Set(tools.map(({ server }) => server)).size} servers, ${queries.length} queries`,
    '           R@1    R@3    R@5   R@10   NDCG    MRR',
    ...Object.entries(rows).map(
      ([who, row]) => `${who.padEnd(8)}${Object.values(row).map(percent).join(' ')}`,
    ),
    `${differing.length} of ${queries.length} answers differ in any of the first ${LIMIT}`,
    `all listed after ${(cost.listedMs / 1000).toFixed(1)} s, settled after ${(cost.settledMs / 1000).toFixed(1)} s; ` +
      `a discover call p50 ${cost.p50.toFixed(2)} ms, p95 ${cost.p95.toFixed(2)} ms`,
  ];
  if (options.show)
    for (const at of differing.slice(0, 10))
      lines.push(queries[at].query.slice(0, 100), `  ${engine[at].join(' ')}`, `  ${rankings[at].join(' ')}`);
  process.stdout.write(`${lines.join('\n')}\n`);
  if (JSON.stringify(rows.engine) !== JSON.stringify(rows.product)) process.exitCode = 1;
}

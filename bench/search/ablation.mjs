// Measures search with parts of the ranking left out, each beside the whole over the same queries.
// Run: node bench/search/ablation.mjs [--sets a,b] (R@5 / NDCG@10; * marks a loss or gain whose 95 % interval leaves out 0)
import { parseArgs } from 'node:util';
import { loadEngine } from './engine-bundle.mjs';
import { meanOf, pairedBootstrap, scoreRanking } from './metrics.mjs';
import { loadSet } from './sets.mjs';

const LIMIT = 10;
const SETS = ['livemcp', 'mcp-mid', 'mcp-large', 'toolbench', 'sealtools', 'metatool'];
const { values: options } = parseArgs({ options: { sets: { type: 'string' } } });
const { createSearchEngine, DEFAULT_WEIGHTS } = await loadEngine();

const NO_CLAUSES = { clause: 0, clauseFill: 0, clauseMeaning: 0 };
const NO_BONUSES = { coverage: 0, nameMatch: 0, server: 0, spread: 0 };
const withoutFields = (weights, out) => weights.map((weight, field) => (out.includes(field) ? 0 : weight));
const NO_PARAMETERS = {
  fields: withoutFields(DEFAULT_WEIGHTS.fields, [2, 5]),
  meaningFields: withoutFields(DEFAULT_WEIGHTS.meaningFields, [2, 5]),
};
const VARIANTS = {
  all: {},
  'no vectors': { loadVectors: undefined },
  'no synonyms': { weights: { synonym: 0 } },
  'no clauses': { weights: NO_CLAUSES },
  'no parameter fields': { weights: NO_PARAMETERS },
  'no spread': { weights: { spread: 0 } },
  'words and typos only': { loadVectors: undefined, weights: { synonym: 0, ...NO_CLAUSES, ...NO_BONUSES } },
};

const sets = (options.sets?.split(',') ?? SETS).map(loadSet);
const whole = new Map();
process.stdout.write(`${''.padEnd(22)}${sets.map(({ name }) => name.padEnd(16)).join('')}\n`);
for (const [name, parts] of Object.entries(VARIANTS)) {
  const cells = [];
  for (const set of sets) cells.push(await measure(set, parts));
  process.stdout.write(`${name.padEnd(22)}${cells.map((cell) => cell.padEnd(16)).join('')}\n`);
}

async function measure(set, parts) {
  const engine = createSearchEngine(parts);
  engine.update(set.sources);
  await engine.settled();
  const rows = set.queries.map((query) =>
    scoreRanking(
      query,
      engine.search(query.query, { limit: LIMIT }).map(({ key }) => key),
    ),
  );
  const before = whole.get(set.name) ?? rows;
  whole.set(set.name, before);
  const { r5, ndcg10 } = meanOf(rows);
  const percent = (figure, value) => `${(100 * value).toFixed(1)}${isSure(rows, before, figure) ? '*' : ''}`;
  return `${percent('r5', r5)} / ${percent('ndcg10', ndcg10)}`;
}

function isSure(rows, before, figure) {
  const column = (from) => from.map((row) => row[figure]);
  const { low, high } = pairedBootstrap(column(rows), column(before));
  return low > 0 || high < 0;
}

// Measures search on every data set beside other rankings in the same run.
// Run: node --expose-gc bench/search/bench.mjs [--json file] [--sets a,b] [--ours] (SHARED_DIR says where the data is)
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadEngine } from './engine-bundle.mjs';
import { meanOf, pairedBootstrap, quantile, scoreRanking } from './metrics.mjs';
import { createBm25Ranking, createFuseRanking, createMiniSearchRanking, fetchRivals } from './rivals.mjs';
import { loadOddQueries, loadSet, SET_NAMES, SHARED } from './sets.mjs';

const LIMIT = 10;
const FOLDS = 5;
const TIMED_RUNS = 5;
/** Fuse.js needs tenths of a second a query here; more tools or queries than this would take hours. */
const FUSE_MAX = 700_000;

const { values: options } = parseArgs({
  options: { json: { type: 'string' }, sets: { type: 'string' }, ours: { type: 'boolean', default: false } },
});
if (!existsSync(join(SHARED, 'data/search'))) {
  process.stderr.write(`no data under ${SHARED}; set SHARED_DIR\n`);
  process.exit(1);
}

const engineParts = await loadEngine();
const rivals = options.ours ? undefined : fetchRivals();
const given = await loadGivenScorer();
const report = {};
for (const name of options.sets?.split(',') ?? SET_NAMES) {
  report[name] = await measureSet(loadSet(name));
  print(name, report[name]);
}
if (options.json) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);

async function measureSet(set) {
  const ours = await measureOurs(set);
  const rankings = { thimble: ours.rows };
  if (rivals) {
    const bm25 = createBm25Ranking(set.tools, { toWords });
    rankings.bm25 = rate(set, bm25);
    const fuller = createBm25Ranking(set.tools, { toWords: toTellingWords, parameters: true });
    rankings.bm25Fuller = rate(set, fuller);
    const mini = createMiniSearchRanking(rivals.MiniSearch, set.tools, { toTerms });
    rankings.miniSearch = rate(set, mini);
    if (set.tools.length * set.queries.length <= FUSE_MAX)
      rankings.fuse = rate(set, createFuseRanking(rivals.Fuse, set.tools));
  }
  const versusBm25 = rankings.bm25 && compare(rankings.thimble, rankings.bm25);
  return {
    tools: set.tools.length,
    queries: set.queries.length,
    figures: Object.fromEntries(Object.entries(rankings).map(([name, rows]) => [name, meanOf(rows)])),
    ...(versusBm25 && { versusBm25 }),
    cost: ours.cost,
    learning: measureLearning(set, ours.engine, ours.rows),
  };
}

async function measureOurs(set) {
  const before = heapBytes();
  const started = performance.now();
  const engine = engineParts.createSearchEngine();
  engine.update(set.sources);
  const buildMs = performance.now() - started;
  await engine.settled();
  const settledMs = performance.now() - started;
  const bytesPerTool = (heapBytes() - before) / set.tools.length;
  const rank = (query) => engine.search(query, { limit: LIMIT }).map(({ key }) => key);
  const rows = rate(set, rank);
  const times = set.queries.map(({ query }) => medianMs(() => rank(query)));
  const odd = loadOddQueries().map((query) => medianMs(() => rank(query)));
  const cost = {
    buildMs,
    settledMs,
    bytesPerTool,
    queryP50Ms: quantile(times, 0.5),
    queryP95Ms: quantile(times, 0.95),
    oddMaxMs: Math.max(0, ...odd),
  };
  return { engine, rows, cost };
}

/** Learns from four fifths of the queries, each led to its golds, and asks the last fifth. */
function measureLearning(set, engine, cold) {
  const warm = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const learning = engineParts.createLearning({ now: () => 0 });
    set.queries.forEach(({ query, gold }, at) => {
      if (at % FOLDS === fold) return;
      for (const key of gold) learning.observe('bench', engine.toTerms(query), key, 0);
    });
    set.queries.forEach((query, at) => {
      if (at % FOLDS !== fold) return;
      const boosts = learning.boost('bench', engine.toTerms(query.query));
      const hits = engine.search(query.query, { limit: LIMIT, boosts });
      warm[at] = scoreRanking(
        query,
        hits.map(({ key }) => key),
      );
    });
  }
  return { figures: meanOf(warm), versusCold: compare(warm, cold) };
}

function rate(set, rank) {
  return set.queries.map((query) => {
    const ranked = rank(query.query);
    const row = scoreRanking(query, ranked);
    if (given) checkAgainstGiven(row, given.score(query, ranked), query.query);
    return row;
  });
}

/** The middle of a few runs, since any single one may be paused by what else the machine does. */
function medianMs(run) {
  const times = Array.from({ length: TIMED_RUNS }, () => {
    const started = performance.now();
    run();
    return performance.now() - started;
  });
  return quantile(times, 0.5);
}

function compare(ours, theirs) {
  const column = (rows, name) => rows.map((row) => row[name]);
  const difference = (name) => pairedBootstrap(column(ours, name), column(theirs, name));
  return { r1: difference('r1'), r5: difference('r5'), ndcg10: difference('ndcg10') };
}

/** The scorer that comes with the data, to check ours against. */
async function loadGivenScorer() {
  const file = join(SHARED, 'tools/search/score.mjs');
  return existsSync(file) ? import(file) : undefined;
}

function checkAgainstGiven(row, expected, query) {
  for (const [name, value] of Object.entries(expected))
    if (Math.abs(row[name] - value) > 1e-9) throw new Error(`scorers disagree on ${name} for "${query}"`);
}

function heapBytes() {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function toWords(text) {
  const words = [];
  engineParts.splitWords(text, (word) => words.push(word));
  return words;
}

function toTellingWords(text) {
  return toWords(text).filter((word) => !engineParts.STOP_WORDS.has(word));
}

function toTerms(text) {
  return toTellingWords(text).map(engineParts.toStem);
}

function print(name, { tools, queries, figures, versusBm25, cost, learning }) {
  const percent = (value) => (100 * value).toFixed(1).padStart(6);
  const lines = [
    `\n${name}: ${tools} tools, ${queries} queries`,
    '              R@1    R@3    R@5   R@10   NDCG    MRR',
  ];
  const rows = { ...figures, 'thimble+learn': learning.figures };
  for (const [ranking, row] of Object.entries(rows))
    lines.push(`${ranking.padEnd(13)}${Object.values(row).map(percent).join(' ')}`);
  const interval = ({ mean, low, high }) => `${percent(mean)} [${percent(low)},${percent(high)} ]`;
  if (versusBm25)
    lines.push(
      `over BM25     R@1 ${interval(versusBm25.r1)}  R@5 ${interval(versusBm25.r5)}  NDCG ${interval(versusBm25.ndcg10)}`,
    );
  lines.push(`learning adds R@5 ${interval(learning.versusCold.r5)}`);
  lines.push(
    `build ${cost.buildMs.toFixed(0)} ms, meanings after ${cost.settledMs.toFixed(0)} ms; query p50 ${cost.queryP50Ms.toFixed(2)} ms, ` +
      `p95 ${cost.queryP95Ms.toFixed(2)} ms, odd ones at most ${cost.oddMaxMs.toFixed(1)} ms; ${cost.bytesPerTool.toFixed(0)} bytes a tool`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}

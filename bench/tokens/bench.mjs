// Counts what lists of tools cost before and after: 49 of our own, 150 of real servers, 24 that manage servers; then every mode at every size.
// Run: node bench/tokens/bench.mjs [--json file] (SHARED_DIR says where the real tool lists are); exits with 1 when a promise is not kept
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { listTools } from './open-mode.mjs';
import { loadParts, toCost } from './parts.mjs';
import { readManagement, readOwnServers, readServers, shuffle, takeTools } from './servers.mjs';

const WINDOW = 200_000;
/** How often servers are drawn for the table of sizes. */
const DRAWS = 5;
const SIZES = [10, 50, 100, 500, 1_800];
const MODES = ['direct', 'noun', 'activate', 'category', 'search', 'auto'];

const { values: options } = parseArgs({ options: { json: { type: 'string' } } });
const parts = await loadParts();
const { origin, servers } = readServers();
/** In an order drawn once, since the first by name are no fair sample. */
const corpus = { origin, servers: shuffle(servers, 1) };
const report = { corpus: corpus.origin, scenarios: [], sizes: [] };
const misses = [];

process.stdout.write(
  `Tokens of o200k_base over {"tools": […]} as it crosses the wire. Corpus: ${corpus.origin}.\n`,
);
await countOwn();
await countSearch();
await countManagement();
await countSizes();
if (options.json) writeFileSync(options.json, `${JSON.stringify({ ...report, misses }, null, 2)}\n`);
process.stdout.write(
  misses.length === 0 ? '\nEvery promise is kept.\n' : `\nNot kept: ${misses.join('; ')}.\n`,
);
process.exitCode = misses.length === 0 ? 0 : 1;

async function countOwn() {
  const { offers, live } = await readOwnServers(parts);
  const others = Object.keys(offers).filter((id) => !live.includes(id));
  const from = `${live.join(', ')} as they are${others.length > 0 ? `; ${others.join(', ')} from a fixture` : ''}`;
  const before = await listTools(parts, 'direct', offers);
  const after = toCost(await listTools(parts, 'router', offers));
  const saved = printScenario(`Five servers of our own in category (${from})`, toCost(before), after);
  promise('49 tools become 7', before.length === 49 && after.tools === 7);
  promise('49 to 7 saves 75 %', saved >= 0.75);
  promise('category over the 49 takes at most 1,400 tokens', after.tokens <= 1_400);
  const plain = toCost(before.map(({ outputSchema: _shape, ...tool }) => tool));
  process.stdout.write(
    `  not counting output schemas, which many clients keep from their model: ${toPercent(1 - after.tokens / plain.tokens)} of ${toNumber(plain.tokens)}\n`,
  );
}

async function countSearch() {
  const offers = takeTools(corpus.servers, 150);
  const before = toCost(await listTools(parts, 'direct', offers));
  const after = toCost(await listTools(parts, 'search', offers));
  const saved = printScenario(
    `150 tools of the corpus in search (${Object.keys(offers).length} servers)`,
    before,
    after,
  );
  promise('150 tools become 4', before.tools === 150 && after.tools === 4);
  promise('150 to 4 saves 97.3 %', saved >= 0.973);
  promise('150 to 4 takes less than 1 % of a window', after.tokens < WINDOW / 100);
}

async function countManagement() {
  const { title, tools, groups } = readManagement();
  const fold = async (some, brief) =>
    toCost(
      await listTools(
        parts,
        'noun',
        { manager: { title, tools: some } },
        { noun: { groups: { manager: groups }, brief } },
      ),
    );
  const before = toCost(tools);
  const after = await fold(tools, true);
  const full = await fold(tools, false);
  const saved = printScenario(
    '24 tools that manage servers in noun, brief, with groups by configuration',
    before,
    after,
  );
  promise('24 tools become 8', before.tools === 24 && after.tools === 8);
  promise('24 to 8 saves 60 %', saved >= 0.6);
  process.stdout.write(
    `  with what each tool says of its actions and parameters: ${toNumber(full.tokens)} tokens\n`,
  );
  const renamed = await fold(tools.map(withOwnAction), true);
  process.stdout.write(
    `  three of them choose by a parameter "operation"; were it called "action", as tools of that kind often do, they would stay themselves: ${renamed.tools} tools, ${toNumber(renamed.tokens)} tokens\n`,
  );
}

function withOwnAction(tool) {
  const { operation, ...others } = tool.inputSchema.properties;
  if (!operation) return tool;
  return {
    ...tool,
    inputSchema: { ...tool.inputSchema, properties: { action: operation, ...others }, required: ['action'] },
  };
}

/** The middle of several draws: which servers are among a few tools says more than how many there are. */
async function countSizes() {
  process.stdout.write(
    `\nEvery mode over the corpus, tools / tokens (median of ${DRAWS} draws of servers)\n`,
  );
  process.stdout.write(`${'tools'.padStart(6)}${MODES.map((mode) => mode.padStart(18)).join('')}\n`);
  for (const size of SIZES) {
    const row = { size };
    for (const mode of MODES) row[mode] = toMedian(await countDraws(mode, size));
    report.sizes.push(row);
    const cells = MODES.map((mode) =>
      `${toNumber(row[mode].tools)} / ${toNumber(row[mode].tokens)}`.padStart(18),
    );
    process.stdout.write(`${toNumber(size).padStart(6)}${cells.join('')}\n`);
  }
}

async function countDraws(mode, size) {
  const costs = [];
  for (let draw = 1; draw <= DRAWS; draw++)
    costs.push(toCost(await listTools(parts, mode, takeTools(shuffle(servers, draw), size))));
  return costs;
}

function toMedian(costs) {
  return [...costs].sort((a, b) => a.tokens - b.tokens)[Math.floor(costs.length / 2)];
}

function printScenario(title, before, after) {
  const saved = 1 - after.tokens / before.tokens;
  report.scenarios.push({ title, before, after, saved });
  const line = (name, { tools, bytes, tokens }) =>
    `  ${name.padEnd(7)}${toNumber(tools).padStart(5)} tools ${toNumber(bytes).padStart(9)} bytes ${toNumber(tokens).padStart(8)} tokens ${toPercent(tokens / WINDOW, 2).padStart(8)} of 200k`;
  process.stdout.write(
    `\n${title}\n${line('before', before)}\n${line('after', after)}   saved ${toPercent(saved)}\n`,
  );
  return saved;
}

function promise(what, isKept) {
  if (!isKept) misses.push(what);
}

function toPercent(share, digits = 1) {
  return `${(share * 100).toFixed(digits)} %`;
}

function toNumber(value) {
  return value.toLocaleString('en-US');
}

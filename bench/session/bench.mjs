// Replays scripted sessions through every mode over catalogues of growing size, and counts what the whole session costs.
// Run: node bench/session/bench.mjs [--draws 5] [--sessions 4] [--json file] (SHARED_DIR says where the real tool lists are)
// No model is asked: the agent is a script that knows which tool it wants and builds calls from what it was shown.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadParts, toTokens } from '../tokens/parts.mjs';
import { readServers, shuffle, takeTools } from '../tokens/servers.mjs';
import { bestSplit, meanOf, medianOf } from './break-even.mjs';
import { CACHED_PRICE, SYSTEM_TOKENS } from './conversation.mjs';
import { openChecking, RESULT, replay } from './replay.mjs';
import { SERVERS, TASKS, toTasks } from './tasks.mjs';

const SIZES = [10, 50, 100, 500, 1_800];
/** More sizes where the modes cross. */
const BETWEEN = [5, 20, 30, 75];
const MODES = ['direct', 'noun', 'activate', 'category', 'search', 'auto'];
const WINDOW = 200_000;

const { values: options } = parseArgs({
  options: {
    draws: { type: 'string', default: '5' },
    sessions: { type: 'string', default: '4' },
    json: { type: 'string' },
  },
});
const draws = Number(options.draws);
const sessions = Number(options.sessions);
const parts = await loadParts();
const { origin, servers } = readServers();
const print = (line = '') => process.stdout.write(`${line}\n`);

print(
  `No model was asked. A script works ${TASKS} tasks of at most ${SERVERS} servers a session, ${draws * sessions} sessions a line`,
);
print(
  `over ${draws} random choices of servers from ${origin}. It knows which tool it wants (in activate and`,
);
print(
  'category also whose it is), takes the text of a task from the first sentence of the tool’s description, builds',
);
print(
  'arguments only from what it was shown, asks for a schema where it is told to or where a type is missing, and',
);
print('remembers answers. Every second task wants an optional parameter. Servers check arguments and answer');
print(
  `${toTokens(RESULT)} tokens. A turn sends tools, ${toNumber(SYSTEM_TOKENS)} tokens of system text and all that was said.`,
);

const rows = [];
print(
  `\nMedian of a session. whole: tokens in and out; paid: the same with what was sent before at ${CACHED_PRICE} of the price`,
);
print(
  `${'tools'.padStart(6)}  ${'mode'.padEnd(9)}${['definitions', 'whole', 'paid', 'turns', 'asks', 'read again', 'first call', 'done'].map((title) => title.padStart(12)).join('')}`,
);
for (const size of [...SIZES, ...BETWEEN].sort((a, b) => a - b)) {
  for (const mode of SIZES.includes(size) ? MODES : MODES.slice(0, -1)) {
    const cell = await measure(mode, size);
    rows.push(...cell);
    if (SIZES.includes(size)) print(toLine(size, mode, cell));
  }
}
print(`* does not fit in a window of ${toNumber(WINDOW)}`);
printBreakEvens();
await printHarder('search where the task has none of the words in the tool’s name', ['search'], {
  nameless: true,
});
await printHarder('an agent that never asks for a schema', ['category', 'search'], { hasty: true });
if (options.json) writeFileSync(options.json, `${JSON.stringify(rows, null, 2)}\n`);

/** Every session of one mode at one size. */
async function measure(mode, size, how = {}) {
  const cell = [];
  for (let draw = 1; draw <= draws; draw++) {
    const offers = takeTools(shuffle(servers, draw), size);
    const opened = openChecking(parts, mode, offers);
    for (let at = 0; at < sessions; at++) {
      const seed = draw * 1_000 + at;
      const counts = await replay(parts, opened, toTasks(offers, seed, how), how);
      const whole = counts.input + counts.output;
      cell.push({ mode, size, seed, ...counts, whole, paid: counts.cachedInput + counts.output });
    }
  }
  return cell;
}

function toLine(size, mode, cell) {
  const middle = (name) => toNumber(Math.round(medianOf(cell, name)));
  const share = (name) => `${((100 * meanOf(cell, name)) / TASKS).toFixed(1)} %`;
  const tooLarge = medianOf(cell, 'largest') > WINDOW ? '*' : '';
  const figures = [
    middle('definitions'),
    `${middle('whole')}${tooLarge}`,
    middle('paid'),
    medianOf(cell, 'turns').toFixed(0),
    meanOf(cell, 'asks').toFixed(1),
    toNumber(Math.round(meanOf(cell, 'rewritten'))),
    share('firstCall'),
    share('done'),
  ];
  return `${toNumber(size).padStart(6)}  ${mode.padEnd(9)}${figures.map((figure) => figure.padStart(12)).join('')}`;
}

/** From where on one mode is cheaper than another: by number of tools, and by what all tools together take. */
function printBreakEvens() {
  print(
    '\nBreak-even, whole / paid: cheaper from so many tools on (median of sessions); when all tools take so many tokens (best split)',
  );
  for (const [mode, than] of [
    ['noun', 'direct'],
    ['activate', 'direct'],
    ['category', 'direct'],
    ['search', 'direct'],
    ['search', 'category'],
  ]) {
    const cells = ['whole', 'paid'].map((cost) => ({
      tools: fromTools(mode, than, cost),
      tokens: fromTokens(mode, than, cost),
    }));
    print(
      `${`${mode} than ${than}`.padEnd(24)}${cells
        .map(({ tools }) => tools)
        .join(' / ')
        .padStart(14)} tools ${cells
        .map(({ tokens }) => tokens)
        .join(' / ')
        .padStart(18)} tokens`,
    );
  }
}

function fromTools(mode, than, cost) {
  const sizes = [...new Set(rows.map(({ size }) => size))];
  const middle = (name, size) =>
    medianOf(
      rows.filter((row) => row.mode === name && row.size === size),
      cost,
    );
  const last = sizes.findLastIndex((size) => middle(mode, size) >= middle(than, size));
  return last === sizes.length - 1 ? 'never' : last === -1 ? `≤ ${sizes[0]}` : toNumber(sizes[last + 1]);
}

function fromTokens(mode, than, cost) {
  const of = (name) => rows.filter((row) => row.mode === name);
  const whole = new Map(of('direct').map((row) => [`${row.size} ${row.seed}`, row.definitions]));
  const others = new Map(of(than).map((row) => [`${row.size} ${row.seed}`, row[cost]]));
  const points = of(mode).map((row) => {
    const key = `${row.size} ${row.seed}`;
    return { at: whole.get(key), cheaper: row[cost] < others.get(key) };
  });
  const split = bestSplit(points);
  return split === undefined ? '–' : toNumber(Math.round(split / 100) * 100);
}

async function printHarder(title, modes, how) {
  print(`\nHarder: ${title}`);
  for (const size of SIZES)
    for (const mode of modes) print(toLine(size, mode, await measure(mode, size, how)));
}

function toNumber(value) {
  return value.toLocaleString('en-US');
}

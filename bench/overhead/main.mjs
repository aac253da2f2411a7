/**
 * What a call costs through the gateway, against the same call to the upstream itself and through a bare byte relay.
 * `node bench/overhead/main.mjs [--short] [--only REGEX] [--json FILE]`; ratios count, single milliseconds do not.
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { measureLatency, measureThroughput, median, residentMb } from './measure.mjs';
import { openTarget, openUpstreams } from './targets.mjs';

const option = (name) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? undefined : process.argv[at + 1];
};
const short = process.argv.includes('--short');
const only = new RegExp(option('only') ?? '');
const effort = short
  ? { calls: 300, warmUp: 400, rounds: 1, ms: 400, starts: 1, callers: [1, 64] }
  : { calls: 1_000, warmUp: 300, rounds: 3, ms: 1_000, starts: 3, callers: [1, 16, 64] };

const FACES = [
  { id: 'stdio', face: 'stdio', kind: 'stdio' },
  { id: 'stdio-http', face: 'stdio', kind: 'http' },
  { id: 'http', face: 'http', kind: 'http' },
];
const scenario = (row, era, servers, tools) => ({
  ...row,
  id: `${row.id} ${era} ${servers}x${tools}`,
  era,
  servers,
  tools,
});
const basic = FACES.flatMap((row) => ['legacy', 'modern'].map((era) => scenario(row, era, 1, 10)));
const sizes = [
  ...[100, 1_000, 5_000].map((tools) => scenario(FACES[1], 'legacy', 1, tools)),
  ...[10, 50].map((servers) => scenario(FACES[1], 'legacy', servers, 10)),
  scenario(FACES[0], 'legacy', 10, 10),
];
const shortSizes = [scenario(FACES[1], 'legacy', 1, 5_000), scenario(FACES[1], 'legacy', 50, 10)];
const scenarios = [...basic, ...(short ? shortSizes : sizes)].filter(({ id }) => only.test(id));

/** Starts the gateway in a fresh place, then again in the same: the second knows its upstreams already. */
async function measureStarts(row, upstreams) {
  const cold = [];
  const warm = [];
  for (let start = 0; start < effort.starts; start++) {
    const first = await openTarget('gateway', { ...row, upstreams });
    await first.stop();
    const second = await openTarget('gateway', { ...row, upstreams, place: first.place });
    await second.stop();
    first.place.remove();
    cold.push(first.readyMs);
    warm.push(second.readyMs);
  }
  return { coldMs: median(cold), warmMs: median(warm) };
}

async function measure(row) {
  const upstreams = await openUpstreams(row);
  const targets = [];
  try {
    const starts = await measureStarts(row, upstreams);
    for (const name of ['direct', 'relay', 'gateway'])
      targets.push(await openTarget(name, { ...row, upstreams }));
    const gateway = targets[2];
    const idleMb = residentMb(gateway.pid);
    const latency = await measureLatency(targets, effort);
    const rates = {};
    for (const callers of effort.callers)
      rates[callers] = Object.fromEntries(await measureThroughput(targets, { ...effort, callers }));
    const loadedMb = residentMb(gateway.pid);
    return { id: row.id, ...starts, idleMb, loadedMb, latency: Object.fromEntries(latency), rates };
  } finally {
    for (const target of targets) {
      await target.stop();
      target.place?.remove();
    }
    await upstreams.stop();
  }
}

const COLUMNS = [
  ['scenario', ({ id }) => id],
  ['direct p50 ms', ({ latency }) => latency.direct.p50.toFixed(3)],
  ['relay', ({ latency }) => latency.relay.p50.toFixed(3)],
  ['gateway', ({ latency }) => latency.gateway.p50.toFixed(3)],
  ['÷ direct', ({ latency }) => (latency.gateway.p50 / latency.direct.p50).toFixed(2)],
  ['÷ relay', ({ latency }) => (latency.gateway.p50 / latency.relay.p50).toFixed(2)],
  ...effort.callers.map((callers) => [
    `calls/s at ${callers} (÷ relay)`,
    ({ rates }) =>
      `${Math.round(rates[callers].gateway)} (${(rates[callers].gateway / rates[callers].relay).toFixed(2)})`,
  ]),
  ['cold ms', ({ coldMs }) => coldMs.toFixed(0)],
  ['warm ms', ({ warmMs }) => warmMs.toFixed(0)],
  ['idle MB', ({ idleMb }) => idleMb.toFixed(0)],
  ['loaded MB', ({ loadedMb }) => loadedMb.toFixed(0)],
];
const toLine = (cells) => `| ${cells.join(' | ')} |`;

const results = [];
process.stdout.write(`${toLine(COLUMNS.map(([title]) => title))}\n${toLine(COLUMNS.map(() => '---'))}\n`);
for (const row of scenarios) {
  const result = await measure(row);
  results.push(result);
  process.stdout.write(`${toLine(COLUMNS.map(([, toCell]) => toCell(result)))}\n`);
}
const file = option('json');
const machine = { node: process.version, cpu: cpus()[0]?.model, cpus: cpus().length, load: loadavg() };
if (file !== undefined) writeFileSync(file, `${JSON.stringify({ machine, results }, undefined, 2)}\n`);

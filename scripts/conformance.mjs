// The official conformance suites against the gateway: `npm run conformance`.
//   --connector stdio|http|builtin   only in front of the fixture reached so; may be given more than once
//   --requirements NAME              only that run: 2025-11-25, 2026-07-28 or 0.1.16
//   --scenario NAME                  only that scenario
//   --role server|client             only the server face, or only the upstream side
//   --era legacy|modern              the fixture speaks that era only, so that the gateway has to bridge
//   --direct                         against the fixture itself, to know what it fails on its own
//   --no-build                       with dist/ as it is
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildAll } from './build.mjs';
import { RUNS, runSuite } from './conformance/suite.mjs';
import { CONNECTORS, startTarget } from './conformance/targets.mjs';
import { findFaults, findUnexpected, readExpected, toTable, toWarnings } from './conformance/verdict.mjs';

const { values: options } = parseArgs({
  options: {
    connector: { type: 'string', multiple: true, default: CONNECTORS },
    requirements: { type: 'string', multiple: true, default: RUNS.map(({ name }) => name) },
    scenario: { type: 'string' },
    role: { type: 'string', multiple: true, default: ['server', 'client'] },
    era: { type: 'string' },
    direct: { type: 'boolean', default: false },
    'no-build': { type: 'boolean', default: false },
  },
});
const CLIENT = fileURLToPath(new URL('./conformance-client.mjs', import.meta.url));
const CLIENT_MS = '60000';

for (const [name, known] of [
  ['connector', CONNECTORS],
  ['requirements', RUNS.map((run) => run.name)],
  ['role', ['server', 'client']],
]) {
  const wrong = options[name].find((value) => !known.includes(value));
  if (wrong !== undefined) throw new Error(`--${name} ${wrong} is not one of ${known.join(', ')}`);
}
const runs = RUNS.filter(({ name }) => options.requirements.includes(name));
if (!options['no-build'] && !options.direct) await buildAll({ quiet: true });
const results = [];
if (options.role.includes('server')) {
  for (const connector of options.direct ? ['direct'] : options.connector) await runServer(connector);
}
if (options.role.includes('client') && !options.direct) await runClient();
await report();

async function runServer(connector) {
  const column = options.era === undefined ? connector : `${connector} ${options.era}`;
  for (const run of runs) {
    // A fresh one for each run: what one suite leaves behind is no concern of the next.
    const target = await startTarget(connector, options);
    try {
      await record(run, column, ['server', '--url', target.url], run.name);
    } finally {
      await target.stop();
    }
  }
}

async function runClient() {
  for (const run of runs) {
    const command = ['client', '--command', `${process.execPath} ${CLIENT}`, '--timeout', CLIENT_MS];
    await record(run, 'upstream', command, `client ${run.name}`);
  }
}

async function record(run, column, target, name) {
  process.stderr.write(`${name} on ${column}\n`);
  const verdicts = await runSuite(run, target, options);
  const expected = options.direct ? [] : await readExpected();
  const unexpected = findUnexpected({ run: name, column, verdicts }, expected);
  // The suite takes what is late on a busy machine for wrong; what is wrong is so every time.
  for (const { scenario } of unexpected) {
    process.stderr.write(`${name} on ${column}: ${scenario} once more\n`);
    const [again] = await runSuite(run, target, { ...options, scenario });
    if (again?.failed.length === 0)
      verdicts[verdicts.findIndex((each) => each.scenario === scenario)] = again;
  }
  results.push({ run: name, column, verdicts });
}

async function report() {
  const expected = options.direct ? [] : await readExpected();
  const faults = findFaults(results, expected, { all: options.scenario === undefined });
  const warnings = toWarnings(results);
  process.stdout.write(`${toTable(results)}\n`);
  if (warnings.length > 0) process.stdout.write(`\nwarnings\n  ${warnings.join('\n  ')}\n`);
  if (faults.length > 0) process.stdout.write(`\nfaults\n  ${faults.join('\n  ')}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

// Runs one suite once and reads its verdicts.
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fetchNode, fetchSuite } from './fetch.mjs';

const STAMP = /-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z$/;
const RUN_MS = 600_000;
const LIST_MS = 60_000;
const AT_ONCE = 4;

/** The runs: which suite, and what it is asked. */
export const RUNS = [
  { name: '2025-11-25', version: '0.2.0-alpha.12', args: ['--requirements', '2025-11-25'] },
  { name: '2026-07-28', version: '0.2.0-alpha.12', args: ['--requirements', '2026-07-28'] },
  { name: '0.1.16', version: '0.1.16', args: ['--suite', 'all'] },
];

/**
 * Runs a suite against a target: `['server', '--url', …]` or `['client', '--command', …]`.
 * Resolves with the scenarios, each with its counts, the checks that failed, and whether it is scored.
 */
export async function runSuite(run, target, { scenario } = {}) {
  const [node, suite] = await Promise.all([fetchNode(), fetchSuite(run.version)]);
  const scenarios = await listScenarios(node, suite, run);
  const out = await mkdtemp(join(tmpdir(), 'thimble-suite-'));
  const start = (which) => capture(node, [suite, ...target, ...which, '-o', out], RUN_MS);
  try {
    const [role] = target;
    if (scenario !== undefined) await start(toScenarioArgs(run, scenario));
    else if (role === 'server') await start(run.args);
    else await runFew(scenarios.client, (name) => start(toScenarioArgs(run, name)));
    const verdicts = await readVerdicts(out, role);
    const lost = (scenario === undefined ? scenarios[role] : [scenario]).filter(
      (name) => !verdicts.some((verdict) => verdict.scenario === name),
    );
    return [...verdicts, ...lost.map(toLost)].map((verdict) => ({
      ...verdict,
      scored: !scenarios.unscored.has(verdict.scenario),
    }));
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

// A set of requirements fixes what runs, so that one scenario is asked for by its revision instead.
function toScenarioArgs({ args, name }, scenario) {
  const revision = args[0] === '--requirements' ? ['--spec-version', name, '--force'] : [];
  return ['--scenario', scenario, ...revision];
}

// The suite would start all its clients at once, and take what is late on a loaded machine for wrong.
async function runFew(names, start) {
  const waiting = [...names];
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await start(name);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** The scenarios of a run for each role, and which of them are run but never scored. */
async function listScenarios(node, suite, { args }) {
  const isRequirements = args[0] === '--requirements';
  const text = await capture(node, [suite, 'list', ...(isRequirements ? args : [])], LIST_MS);
  const [scored = '', unscored = ''] = text.split('never scored:');
  const [server = '', client = ''] = scored.split(/^Client scenarios.*$/m);
  const unscoredOf = (role) => unscored.split('\n').filter((line) => line.endsWith(`[${role}]`));
  return {
    server: namesIn([server, ...unscoredOf('server')]),
    client: namesIn([client, ...unscoredOf('client')]),
    unscored: new Set(namesIn([unscored])),
  };
}

function namesIn(parts) {
  return [...parts.join('\n').matchAll(/^\s+- (\S+)/gm)].map(([, name]) => name);
}

/** A suite that breaks off, or does not know the scenario, must not pass for one that found nothing. */
function toLost(scenario) {
  return { scenario, passed: 0, failed: ['it never ran, or ended without a verdict'], warned: [] };
}

async function readVerdicts(out, role) {
  const files = (await readdir(out, { recursive: true })).filter((file) => file.endsWith('checks.json'));
  const verdicts = files.map(async (file) => {
    const name = relative('.', dirname(file)).replace(STAMP, '');
    const checks = JSON.parse(await readFile(join(out, file), 'utf8'));
    const of = (status) => checks.filter((check) => check.status === status);
    const isServer = role === 'server';
    const failed = of('FAILURE').map(toFault);
    const warned = of('WARNING').map(toFault);
    return {
      scenario: isServer ? name.replace(/^server-/, '') : name,
      passed: of('SUCCESS').length,
      // The suite itself takes a warning about a client for a failure.
      failed: isServer ? failed : [...failed, ...warned],
      warned: isServer ? warned : [],
    };
  });
  return (await Promise.all(verdicts)).sort((a, b) => a.scenario.localeCompare(b.scenario));
}

function toFault({ id, errorMessage, description, details }) {
  return `${id}: ${errorMessage ?? details?.message ?? description}`;
}

/** Everything a process writes; the exit code of a suite only says that something failed. */
function capture(file, args, limitMs) {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  let text = '';
  const read = (chunk) => {
    text += chunk;
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (_code, signal) => {
      clearTimeout(timer);
      if (signal) reject(new Error(`the suite was stopped by ${signal}:\n${text}`));
      else resolve(text);
    });
  });
}

// Starts what the suite is pointed at: the gateway in front of the fixture by one connector, or the fixture itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const FIXTURE = 'test/fixtures/everything';
const READY_MS = 120_000;
const STOP_MS = 20_000;

/** The ways the gateway can reach the fixture. */
export const CONNECTORS = ['stdio', 'http', 'builtin'];

/**
 * Starts one target; `url` is where it listens, `stop` ends all it started. With `era` the fixture speaks only that
 * one, so that the gateway has to bridge.
 */
export async function startTarget(connector, { direct = false, era } = {}) {
  const running = [];
  const place = await mkdtemp(join(tmpdir(), 'thimble-conformance-'));
  const stop = async () => {
    for (const child of running.reverse()) await end(child);
    await rm(place, { recursive: true, force: true });
  };
  const flags = era === undefined ? [] : [`--${era}`];
  const run = (args, pattern) => start(args, { pattern, cwd: place, running });
  try {
    const url = direct
      ? await startFixture(run, flags)
      : await startGateway(connector, { run, place, flags });
    return { url, stop, output: () => running.map(({ text }) => text()).join('\n') };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startFixture(run, flags) {
  return run([at(`${FIXTURE}/http.mjs`), ...flags], /(http:\S+)/);
}

async function startGateway(connector, { run, place, flags }) {
  if (connector === 'builtin') return run([at('scripts/conformance-hosted.mjs'), ...flags], /(http:\S+)/);
  const server =
    connector === 'stdio'
      ? { command: process.execPath, args: [at(`${FIXTURE}/stdio.mjs`), ...flags] }
      : { type: 'http', url: await startFixture(run, flags) };
  const config = join(place, 'thimble.jsonc');
  await writeFile(
    config,
    JSON.stringify({
      builtin: false,
      manage: { enabled: false },
      exposure: { mode: 'direct' },
      mcpServers: { everything: server },
    }),
  );
  const home = join(place, 'home');
  const url = await run(
    [at('dist/main.js'), 'serve', '--port', '0', '--home', home],
    /endpoint\s+(http:\S+)/,
  );
  await untilMet(url);
  return url;
}

/** Waits until the gateway knows the fixture: on a busy machine that may be after it says where it listens. */
async function untilMet(url) {
  const end = performance.now() + READY_MS;
  for (;;) {
    const { toolCounts } = await (await fetch(new URL('/health', url))).json();
    if (toolCounts.external > 0) return;
    if (performance.now() > end) throw new Error('the gateway never met the fixture');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Starts a process and resolves with what it says matches the pattern. */
function start(args, { pattern, cwd, running }) {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  running.push(Object.assign(child, { text: () => said }));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail('is not ready in time'), READY_MS);
    const fail = (why) => {
      clearTimeout(timer);
      reject(new Error(`${args[0]} ${why}:\n${said}`));
    };
    const read = (chunk) => {
      said += chunk;
      const found = pattern.exec(said)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => fail(`ended with ${code}`));
  });
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  child.kill('SIGTERM');
  await gone;
  clearTimeout(timer);
}

/**
 * A gateway under steady load with clients that come and go: no error, no foreign byte, nothing leaked.
 * `node bench/load/main.mjs [--seconds 600] [--rate 100] [--upstreams 20] [--sessions 200] [--json FILE]`
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { percentile } from '../overhead/measure.mjs';
import { createClient } from './client.mjs';

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : process.argv[at + 1];
};
const seconds = Number(option('seconds', '20'));
const rate = Number(option('rate', '100'));
const upstreams = Number(option('upstreams', '20'));
const sessions = Number(option('sessions', '200'));
/** Of a hundred calls so many are cut off, and after so many the client leaves and another comes. */
const DROPPED = 5;
const LEAVING = 3;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const chance = (percent) => Math.random() * 100 < percent;

const host = fork(fileURLToPath(new URL('./host.mjs', import.meta.url)), [String(upstreams)]);
const [{ url }] = await once(host, 'message');
const endpoint = `${url}/mcp/direct`;

async function inspect() {
  const answered = once(host, 'message');
  host.send('inspect');
  const [{ inspect: found }] = await answered;
  return { ...found, children: childrenOf(host.pid) };
}

function childrenOf(pid) {
  const parentOf = (name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    } catch {
      return 0;
    }
  };
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid).length;
}

const canaries = new Set();
const eraOf = (at) => (at % 2 === 0 ? 'legacy' : 'modern');
const faults = [];
const times = [];
const counts = { calls: 0, dropped: 0, left: 0 };

async function open(at) {
  const client = createClient(endpoint, eraOf(at), canaries);
  await client.open();
  return client;
}

// One call to each server first, so that what is started once is not taken for a leak.
const first = await open(0);
for (let at = 0; at < upstreams; at++) await first.call(`s${at}_echo`);
await first.close();
await pause(500);
const before = await inspect();

const clients = await Promise.all(Array.from({ length: sessions }, (_, at) => open(at)));
const running = new Set();

async function act(at) {
  const client = clients[at];
  const tool = `s${Math.floor(Math.random() * upstreams)}_echo`;
  client.busy = true;
  try {
    if (chance(DROPPED)) {
      await client.drop(tool, Math.random() * 30);
      counts.dropped += 1;
    } else {
      const started = performance.now();
      const fault = await client.call(tool);
      times.push(performance.now() - started);
      if (fault !== undefined) faults.push(fault);
      counts.calls += 1;
    }
    if (chance(LEAVING)) {
      await client.close();
      clients[at] = await open(at);
      counts.left += 1;
    }
  } catch (error) {
    faults.push(String(error));
  } finally {
    client.busy = false;
  }
}

const started = performance.now();
let middle;
for (let call = 0; call < seconds * rate; call++) {
  const due = started + (call * 1_000) / rate;
  const wait = due - performance.now();
  if (wait > 0) await pause(wait);
  const at = Math.floor(Math.random() * sessions);
  if (clients[at].busy) continue;
  const acting = act(at).finally(() => running.delete(acting));
  running.add(acting);
  if (call === Math.floor((seconds * rate) / 2)) middle = await inspect();
}
await Promise.all(running);
const end = await inspect();
await Promise.all(clients.map((client) => client.close()));
await pause(2_000);
const after = await inspect();
host.send('stop');
const [code] = await once(host, 'exit');

const leaks = [
  after.sessions > 0 && `${after.sessions} sessions`,
  after.children !== before.children && `${after.children - before.children} children`,
  after.files > before.files + 5 && `${after.files - before.files} open files`,
  after.handles > before.handles + 5 && `${after.handles - before.handles} handles`,
  after.timers > before.timers + 5 && `${after.timers - before.timers} timers`,
  end.residentMb > middle.residentMb * 1.5 && `memory: ${middle.residentMb} then ${end.residentMb} MB`,
  end.faults.length > 0 && `${end.faults.length} faults in the gateway: ${end.faults[0]}`,
  code !== 0 && `the gateway ended with ${code}`,
].filter((leak) => leak !== false);

const result = {
  seconds,
  ...counts,
  p50: percentile(times, 0.5),
  p99: percentile(times, 0.99),
  faults: faults.length,
  firstFaults: faults.slice(0, 5),
  leaks,
  before,
  middle,
  end,
  after,
};
const text = JSON.stringify(result, undefined, 2);
process.stdout.write(`${text}\n`);
if (option('json') !== undefined) writeFileSync(option('json'), `${text}\n`);
process.exitCode = faults.length > 0 || leaks.length > 0 ? 1 : 0;

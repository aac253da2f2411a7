// Fetches the conformance suites, and a Node new enough for them, once, into a cache outside the dependencies.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/thimble-tools', import.meta.url));
const SUITE = '@modelcontextprotocol/conformance';
const NODE_MAJOR = 24;

/** The file to run a suite with. */
export async function fetchSuite(version) {
  const folder = await install(`conformance-${version}`, `${SUITE}@${version}`);
  return join(folder, SUITE, 'dist', 'index.js');
}

/** A Node that the suites run on; this one where it is new enough. */
export async function fetchNode() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = await install(`node-${NODE_MAJOR}`, `${name}@${NODE_MAJOR}`);
  return join(folder, name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

// Each has a folder of its own: two versions of one package cannot share one.
async function install(name, wanted) {
  const folder = join(CACHE, name);
  const marker = join(folder, 'ready');
  if (existsSync(marker)) return join(folder, 'node_modules');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  process.stderr.write(`fetching ${wanted}\n`);
  const args = ['install', '--no-audit', '--no-fund', '--no-save', '--engine-strict=false', wanted];
  await promisify(execFile)('npm', args, { cwd: folder, timeout: 300_000 });
  await writeFile(marker, '');
  return join(folder, 'node_modules');
}

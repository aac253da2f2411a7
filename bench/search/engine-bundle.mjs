// Bundles the search engine from its TypeScript into a temporary folder and loads it.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const src = fileURLToPath(new URL('../../src/catalog/search', import.meta.url));

/** The engine's parts as the bench needs them. */
export async function loadEngine() {
  const dir = mkdtempSync(join(tmpdir(), 'thimble-search-'));
  const entry = join(dir, 'entry.mjs');
  writeFileSync(
    entry,
    [
      `export { createSearchEngine } from '${src}/engine.ts';`,
      `export { createLearning } from '${src}/learning.ts';`,
      `export { DEFAULT_WEIGHTS } from '${src}/weights.ts';`,
      `export { toStem } from '${src}/text/porter.ts';`,
      `export { STOP_WORDS } from '${src}/text/stop-words.ts';`,
      `export { splitWords } from '${src}/text/words.ts';`,
      `export { toUpstreamIds } from '${src}/../../model/ids.ts';`,
    ].join('\n'),
  );
  const out = join(dir, 'out');
  await build({
    input: { engine: entry },
    platform: 'node',
    logLevel: 'warn',
    transform: { target: 'node20' },
    output: { dir: out, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
  });
  return import(pathToFileURL(join(out, 'engine.mjs')).href);
}

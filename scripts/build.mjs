// Bundles src/ into dist/: one small set of files that starts fast. Types are made by `npm run build:types`.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The built-in servers, each for itself: `import { createMemoryServer } from 'thimble/memory'`. */
const BUILTINS = Object.fromEntries(
  ['memory', 'projects', 'storage', 'blog', 'sharing'].map((name) => [
    `builtin/${name}`,
    `src/builtin/${name}/server.ts`,
  ]),
);

/** Builds once; `quiet` says nothing when it went well. */
export async function buildAll({ quiet = false } = {}) {
  const started = performance.now();
  await build({
    cwd: at('.'),
    input: { main: 'src/main.ts', index: 'src/index.ts', ...BUILTINS },
    platform: 'node',
    // Some packages keep their real modules beside a main file that bundlers cannot read.
    resolve: { mainFields: ['module', 'main'] },
    transform: { target: 'node20' },
    // Native, large and rarely needed, or under a licence of their own: loaded from where npm put them.
    external: [/^libsql/, /^@citation-js\//, /^@aws-sdk\//, /^hyper(swarm|dht)/],
    logLevel: 'warn',
    output: {
      dir: 'dist',
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      cleanDir: true,
    },
  });
  chmodSync(at('dist/main.js'), 0o755);
  const { toConfigJsonSchema } = await import(pathToFileURL(at('dist/index.js')).href);
  mkdirSync(at('dist'), { recursive: true });
  writeFileSync(at('dist/schema.json'), `${JSON.stringify(toConfigJsonSchema(), null, 2)}\n`);
  if (!quiet) process.stderr.write(`built dist/ in ${Math.round(performance.now() - started)} ms\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildAll({ quiet: process.argv.includes('--quiet') });

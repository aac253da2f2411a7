// How a ranking is scored: a gold counts as found when it or one of its equivalents stands in the list; further equivalents of a
// found gold are taken out before places are counted.

/** Recall at 1, 3, 5 and 10, NDCG at 10 and the reciprocal rank of one ranked list of ids. */
export function scoreRanking({ gold, alt = {} }, ranked) {
  const goldOf = new Map();
  for (const id of gold) {
    goldOf.set(id, id);
    for (const equal of alt[id] ?? []) if (!goldOf.has(equal)) goldOf.set(equal, id);
  }
  const found = new Set();
  const places = [];
  let place = 0;
  for (const id of ranked) {
    const owner = goldOf.get(id);
    if (owner !== undefined && found.has(owner)) continue;
    if (owner !== undefined) {
      found.add(owner);
      places.push(place);
    }
    place++;
  }
  const recall = (k) => places.filter((at) => at < k).length / gold.length;
  const gain = (at) => 1 / Math.log2(at + 2);
  const reached = places.filter((at) => at < 10).reduce((sum, at) => sum + gain(at), 0);
  let ideal = 0;
  for (let at = 0; at < Math.min(gold.length, 10); at++) ideal += gain(at);
  return {
    r1: recall(1),
    r3: recall(3),
    r5: recall(5),
    r10: recall(10),
    ndcg10: reached / ideal,
    mrr: places.length > 0 ? 1 / (places[0] + 1) : 0,
  };
}

/** Mean of every figure over queries. */
export function meanOf(rows) {
  return Object.fromEntries(
    Object.keys(rows[0]).map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0) / rows.length]),
  );
}

/** Mean of ours − theirs over the same queries with its 95 % interval, by resampling the queries. */
export function pairedBootstrap(ours, theirs, rounds = 2_000) {
  const differences = ours.map((value, at) => value - theirs[at]);
  const random = toRandom(7);
  const means = [];
  for (let round = 0; round < rounds; round++) {
    let sum = 0;
    for (let draw = 0; draw < differences.length; draw++)
      sum += differences[Math.floor(random() * differences.length)];
    means.push(sum / differences.length);
  }
  means.sort((a, b) => a - b);
  return {
    mean: differences.reduce((sum, value) => sum + value, 0) / differences.length,
    low: means[Math.floor(rounds * 0.025)],
    high: means[Math.floor(rounds * 0.975)],
  };
}

/** Of sorted or unsorted numbers, the one that a share of them does not exceed. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Mulberry32: the same numbers in every run. */
function toRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

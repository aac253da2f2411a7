// Means, medians, and the point that best parts where one thing pays from where it does not.

/** The mean of one figure. */
export function meanOf(rows, name) {
  return rows.reduce((sum, row) => sum + row[name], 0) / rows.length;
}

/** The middle of one figure. */
export function medianOf(rows, name) {
  const sorted = rows.map((row) => row[name]).sort((a, b) => a - b);
  const half = sorted.length / 2;
  return Number.isInteger(half) ? (sorted[half - 1] + sorted[half]) / 2 : sorted[Math.floor(half)];
}

/** From where on it is cheaper, with the fewest cases on the wrong side; undefined when it never or always is. */
export function bestSplit(points) {
  const sorted = [...points].sort((a, b) => a.at - b.at);
  let wrong = sorted.filter(({ cheaper }) => !cheaper).length;
  let best = { wrong, at: 0 };
  for (const [index, { at, cheaper }] of sorted.entries()) {
    wrong += cheaper ? 1 : -1;
    const next = sorted[index + 1]?.at;
    if (wrong < best.wrong && next !== at)
      best = { wrong, at: next === undefined ? Number.POSITIVE_INFINITY : (at + next) / 2 };
  }
  return best.at === 0 || !Number.isFinite(best.at) ? undefined : best.at;
}

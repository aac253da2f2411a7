/** Finds the closest spelling among known words, for "did you mean". */

/** The known words closest to a wrong one, best first; empty when none is near. */
export function nearest(word: string, known: Iterable<string>, limit = 1): string[] {
  const wanted = word.toLowerCase();
  const scored: { candidate: string; distance: number }[] = [];
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    // More than one edit in three letters makes another word of it.
    const allowance = Math.max(1, Math.floor(Math.max(wanted.length, candidate.length) / 3));
    if (distance <= allowance) scored.push({ candidate, distance });
  }
  scored.sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1));
  return scored.slice(0, limit).map((entry) => entry.candidate);
}

/** ` (did you mean "x"?)`, or nothing when no known word is near. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const [best] = nearest(word, known);
  return best === undefined ? '' : ` (did you mean "${best}"?)`;
}

/** How many single-character edits, swaps of neighbours included, turn one word into the other; infinite beyond a limit. */
export function editDistance(from: string, to: string, limit = 128): number {
  // Words this long are never typos of one another, and the table below grows with their product.
  if (Math.abs(from.length - to.length) > Math.min(limit, 16) || from.length > 128)
    return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    let least = row;
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      next.push(cost);
      if (cost < least) least = cost;
    }
    if (least > limit) return Number.POSITIVE_INFINITY;
    beforeLast = last;
    last = next;
  }
  return last[to.length] ?? Number.POSITIVE_INFINITY;
}

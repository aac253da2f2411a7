/** What a search found: ranked by full text first, then read by id. */
import type { Condition, Ranked } from '../store/full-text.ts';

/** The conditions of what is given; what is undefined asks for nothing. */
export function toConditions(
  given: Readonly<Record<string, string | number | undefined>>,
  is: '=' | '>=' | '<=' = '=',
): readonly Condition[] {
  return Object.entries(given).flatMap(([column, value]) =>
    value === undefined ? [] : [{ column, is, value }],
  );
}

/** The rows that were ranked, in that order; one that is gone meanwhile is left out. */
export async function inRankOrder<Row extends { readonly id: number }>(
  ranked: readonly Ranked[],
  read: (ids: number[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  if (ranked.length === 0) return [];
  const rows = await read(ranked.map(({ id }) => id));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ranked.flatMap(({ id }) => byId.get(id) ?? []);
}

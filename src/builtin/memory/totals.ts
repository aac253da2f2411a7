/** How many memories there are of each category. */
import type { Memory } from './context.ts';

/** One category and its size. */
export interface CategoryTotal {
  readonly category: string;
  readonly count: number;
}

/** Counts by category, the largest first. */
export async function countCategories({
  db,
  principal,
}: Pick<Memory, 'db' | 'principal'>): Promise<readonly CategoryTotal[]> {
  return db
    .selectFrom('memories')
    .select(({ fn }) => ['category', fn.countAll<number>().as('count')])
    .where('principal', '=', principal)
    .groupBy('category')
    .orderBy('count', 'desc')
    .orderBy('category')
    .execute();
}

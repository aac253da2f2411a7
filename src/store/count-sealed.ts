/** How much would be lost with the key: what is sealed for good stands in columns named `sealed`, whoever owns the table. */
import type { Kysely } from 'kysely';

const COLUMN = 'sealed';

type Sealed = Readonly<Record<string, { readonly sealed: string }>>;

/** Counts the sealed values of a database; what waits for an answer and ends by itself is not counted. */
export async function countSealed(db: Kysely<unknown>): Promise<number> {
  const tables = (await db.introspection.getTables()).filter(({ columns }) =>
    columns.some(({ name }) => name === COLUMN),
  );
  const counts = tables.map(async ({ name }) => {
    const { amount } = await (db as Kysely<Sealed>)
      .selectFrom(name)
      .select(({ fn }) => fn.countAll<number>().as('amount'))
      .executeTakeFirstOrThrow();
    return Number(amount);
  });
  return (await Promise.all(counts)).reduce((sum, each) => sum + each, 0);
}

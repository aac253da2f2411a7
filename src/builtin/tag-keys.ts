/** Tags as they are compared: one text separated by commas, without regard to case, width or blanks. */
import { type Kysely, type RawBuilder, sql } from 'kysely';

/** The tags of a text as `,first,second,`, so that a whole one can be looked for; null when there is none. */
export function toTagKeys(text: string | null): string | null {
  const keys = (text ?? '')
    .normalize('NFKC')
    .toLowerCase()
    .split(/[,、;\n\r]/u)
    .map((tag) => tag.replaceAll(/\s+/gu, ' ').trim().replace(/^#+/u, ''))
    .filter((key) => key !== '');
  return keys.length === 0 ? null : `,${keys.join(',')},`;
}

/** True of rows that have the tag, whole. */
export function hasTag(tag: string): RawBuilder<boolean> {
  // No row has two commas side by side, and no row has a tag that is none.
  return contains(toTagKeys(tag) ?? ',,');
}

/** True of rows whose tags hold the text; of all that have tags when it is empty. */
export function hasTagPart(text: string): RawBuilder<boolean> {
  return contains((toTagKeys(text) ?? ',,').slice(1, -1));
}

function contains(keys: string): RawBuilder<boolean> {
  const pattern = `%${keys.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`tag_keys like ${pattern} escape '\\'`;
}

interface Tagged {
  readonly id: number;
  readonly tags: string | null;
  readonly tag_keys: string | null;
}

const ROWS_AT_ONCE = 1_000;

/** Adds the column to a table and fills it for the rows there are; every later write fills it itself. */
export async function addTagKeys(db: Kysely<unknown>, table: string): Promise<void> {
  await db.schema.alterTable(table).addColumn('tag_keys', 'text').execute();
  const tables = db as Kysely<Readonly<Record<string, Tagged>>>;
  let last = 0;
  for (;;) {
    const rows = await tables
      .selectFrom(table)
      .select(['id', 'tags'])
      .where('tags', 'is not', null)
      .where('id', '>', last)
      .orderBy('id')
      .limit(ROWS_AT_ONCE)
      .execute();
    for (const { id, tags } of rows) {
      await tables
        .updateTable(table)
        .set({ tag_keys: toTagKeys(tags) })
        .where('id', '=', id)
        .execute();
    }
    if (rows.length < ROWS_AT_ONCE) return;
    last = rows.at(-1)?.id ?? last;
  }
}

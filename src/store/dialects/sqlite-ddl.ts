/** What SQLite spells in its own way when tables are made: numbered keys, and FTS5 over a table's own columns. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Ddl, FullTextSpec } from '../ddl.ts';

/** The name of the index over a table. */
export function toIndexName(table: string): string {
  return `${table}_fts`;
}

/** The schema parts of SQLite. */
export const SQLITE_DDL: Ddl = {
  id: (column) => column.primaryKey().autoIncrement(),
  async createFullText(db, spec) {
    await createIndex(db, spec);
    await createTriggers(db, spec);
  },
};

async function createIndex(db: Kysely<unknown>, { table, columns, key = 'id' }: FullTextSpec): Promise<void> {
  const options = [
    `content='${table}'`,
    `content_rowid='${key}'`,
    `tokenize='porter unicode61 remove_diacritics 2'`,
  ];
  await sql`create virtual table ${sql.id(toIndexName(table))} using fts5(${list(columns.map((column) => sql.id(column)))}, ${sql.raw(options.join(', '))})`.execute(
    db,
  );
}

/** The index holds no text of its own: what is taken out has to be named as it was put in. */
async function createTriggers(
  db: Kysely<unknown>,
  { table, columns, key = 'id' }: FullTextSpec,
): Promise<void> {
  const index = sql.id(toIndexName(table));
  const names = list(columns.map((column) => sql.id(column)));
  const valuesOf = (row: 'old' | 'new') => list([key, ...columns].map((column) => sql.id(row, column)));
  const put = sql`insert into ${index}(rowid, ${names}) values (${valuesOf('new')})`;
  const take = sql`insert into ${index}(${index}, rowid, ${names}) values ('delete', ${valuesOf('old')})`;
  const on = (when: string, of: RawBuilder<unknown>, body: RawBuilder<unknown>) =>
    sql`create trigger ${sql.id(`${table}_fts_${when}`)} after ${of} on ${sql.id(table)} begin ${body}; end`.execute(
      db,
    );
  await on('insert', sql`insert`, put);
  await on('delete', sql`delete`, take);
  await on('update', sql`update of ${names}`, sql`${take}; ${put}`);
}

function list(parts: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join([...parts]);
}

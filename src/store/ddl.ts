/** What a migration needs that databases spell differently. */
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';

/** Which columns of a table can be searched. */
export interface FullTextSpec {
  readonly table: string;
  readonly columns: readonly string[];
  /** The numbered key of the table; `id` when nothing is said. */
  readonly key?: string;
}

/** The parts of a schema whose SQL depends on the database. */
export interface Ddl {
  /** Makes an integer column the key: it counts up, and a number never comes back. */
  id(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /** Makes the columns searchable; the index follows every write to the table by itself. */
  createFullText(db: Kysely<unknown>, spec: FullTextSpec): Promise<void>;
}

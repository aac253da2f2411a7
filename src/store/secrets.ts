/** Values people want kept out of their files: sealed in the store, referred to by name as `${secret:NAME}`. */
import type { Migration } from './migrate.ts';
import type { Store } from './store.ts';

/** The kept values; nothing but a resolver should ever ask for them. */
export interface Secrets {
  /** The names, sorted. */
  names(): Promise<readonly string[]>;
  /** Every value that our key opens, by name. */
  all(): Promise<ReadonlyMap<string, string>>;
  save(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
}

interface SecretTables {
  readonly secrets: { readonly name: string; readonly sealed: string; readonly saved_at: string };
}

const MIGRATIONS: readonly Migration[] = [
  {
    owner: 'secrets',
    id: '0001-secrets',
    async up(db) {
      await db.schema
        .createTable('secrets')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('sealed', 'text', (column) => column.notNull())
        .addColumn('saved_at', 'text', (column) => column.notNull())
        .execute();
    },
  },
];

/** What a name may look like. */
export const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/;

/** The way a configuration refers to a kept value. */
export function toSecretReference(name: string): string {
  return `\${secret:${name}}`;
}

/** Opens the values of a store. */
export function openSecrets(store: Pick<Store, 'tables' | 'cipher'>): Secrets {
  const tables = () => store.tables<SecretTables>('secrets', MIGRATIONS);
  return {
    async names() {
      const { db } = await tables();
      const rows = await db.selectFrom('secrets').select('name').orderBy('name').execute();
      return rows.map(({ name }) => name);
    },
    async all() {
      const { db } = await tables();
      const rows = await db.selectFrom('secrets').select(['name', 'sealed']).execute();
      const opened = rows.map(async ({ name, sealed }) => {
        const value = await store.cipher.open(sealed, toAbout(name));
        return value === undefined ? [] : [[name, value] as const];
      });
      return new Map((await Promise.all(opened)).flat());
    },
    async save(name, value) {
      const { db } = await tables();
      const row = {
        sealed: await store.cipher.seal(value, toAbout(name)),
        saved_at: new Date().toISOString(),
      };
      await db
        .insertInto('secrets')
        .values({ name, ...row })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
        .execute();
    },
    async remove(name) {
      const { db } = await tables();
      await db.deleteFrom('secrets').where('name', '=', name).execute();
    },
  };
}

/** What a sealed text is bound to: it opens under its own name only. */
function toAbout(name: string): string {
  return `secret ${name}`;
}

/** Which processes run servers from this home, and where each can be asked about them. */

import type { Migration } from '../../store/migrate.ts';
import { openStoreOrMemory } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';

/** One process. */
export interface RunningProcess {
  readonly address: string;
  readonly pid: number;
  /** The command it was started with: serve, stdio or run. */
  readonly command: string;
  /** ISO 8601. */
  readonly started_at: string;
  /** Where it serves HTTP, if it does. */
  readonly url: string | null;
}

/** The list of them. */
export interface RunningProcesses {
  list(): Promise<readonly RunningProcess[]>;
  add(process: RunningProcess): Promise<void>;
  remove(address: string): Promise<void>;
}

interface RunningTables {
  readonly running_processes: RunningProcess;
}

const MIGRATIONS: readonly Migration[] = [
  {
    owner: 'running',
    id: '0001-running-processes',
    async up(db) {
      await db.schema
        .createTable('running_processes')
        .addColumn('address', 'text', (column) => column.primaryKey())
        .addColumn('pid', 'integer', (column) => column.notNull())
        .addColumn('command', 'text', (column) => column.notNull())
        .addColumn('started_at', 'text', (column) => column.notNull())
        .execute();
    },
  },
  {
    owner: 'running',
    id: '0002-url',
    async up(db) {
      await db.schema.alterTable('running_processes').addColumn('url', 'text').execute();
    },
  },
];

/** Opens the list in a store. */
export function openRunning(store: Pick<Store, 'tables'>): RunningProcesses {
  const open = () => store.tables<RunningTables>('running', MIGRATIONS).then(({ db }) => db);
  return {
    async list() {
      const db = await open();
      return db.selectFrom('running_processes').selectAll().orderBy('started_at').execute();
    },
    async add(process) {
      const db = await open();
      await db.insertInto('running_processes').values(process).execute();
    },
    async remove(address) {
      const db = await open();
      await db.deleteFrom('running_processes').where('address', '=', address).execute();
    },
  };
}

/** Opens the store of a home for a moment; undefined when it is no file others could open too. */
export async function openSharedStore(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Store | undefined> {
  const store = await openStoreOrMemory(path, { key: env['THIMBLE_KEY'] });
  if (store.degraded === undefined) return store;
  await store[Symbol.asyncDispose]();
  return undefined;
}

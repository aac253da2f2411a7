/** A Kysely dialect over libsql's promise API: one connection, one user of it at a time; the only door to the driver. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryCompiler,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { createMutex, type Mutex } from '../mutex.ts';
import { toStoreError } from '../store-error.ts';
import { isLocked, toDeadline, waitForLock } from '../wait-for-lock.ts';

/** The part of a libsql connection the house uses. */
export interface LibsqlConnection {
  readonly inTransaction: boolean;
  exec(sql: string): Promise<unknown>;
  prepare(sql: string): Promise<LibsqlStatement>;
  close(): void;
}

interface LibsqlStatement {
  readonly reader: boolean;
  run(parameters: readonly unknown[]): {
    readonly changes: number;
    readonly lastInsertRowid: number | bigint;
  };
  all(parameters: readonly unknown[]): Promise<unknown[]>;
}

/** Opens a file without reading it; the driver is loaded here, so that start-up pays only when a store opens. */
export async function openLibsql(path: string): Promise<LibsqlConnection> {
  const { default: Database } = await import('libsql/promise');
  // The package types its methods as `any` and hides `inTransaction`.
  return new Database(path, {}) as unknown as LibsqlConnection;
}

/** Makes a dialect that uses one open connection; destroying the Kysely instance closes it. */
export function createLibsqlDialect(connection: LibsqlConnection, path: string): Dialect {
  return {
    createDriver: (): Driver => new LibsqlDriver(connection, path),
    createQueryCompiler: (): QueryCompiler => new SqliteQueryCompiler(),
    createAdapter: (): DialectAdapter => new SqliteAdapter(),
    createIntrospector: (db: Kysely<unknown>): DatabaseIntrospector => new SqliteIntrospector(db),
  };
}

class LibsqlDriver implements Driver {
  readonly #connection: LibsqlConnection;
  readonly #session: LibsqlSession;
  readonly #mutex: Mutex = createMutex();

  constructor(connection: LibsqlConnection, path: string) {
    this.#connection = connection;
    this.#session = new LibsqlSession(connection, path);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const asked = performance.now();
    await this.#mutex.lock();
    this.#session.startWaiting(asked);
    return this.#session;
  }

  async releaseConnection(): Promise<void> {
    this.#mutex.unlock();
  }

  beginTransaction(): Promise<void> {
    return this.#session.begin();
  }

  commitTransaction(): Promise<void> {
    return this.#session.commit();
  }

  rollbackTransaction(): Promise<void> {
    return this.#session.rollback();
  }

  async destroy(): Promise<void> {
    await this.#mutex.lock();
    try {
      // Statements live until they are collected and keep the file open, so the log is emptied by hand.
      await this.#connection.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // The next one to open the store reads the log as it is: nothing is lost.
    } finally {
      this.#connection.close();
      this.#mutex.unlock();
    }
  }
}

class LibsqlSession implements DatabaseConnection {
  readonly #connection: LibsqlConnection;
  readonly #path: string;
  /** Reads that were given up because of a lock. */
  readonly #refused: (() => Promise<unknown>)[] = [];
  /** True from when a wait for the write lock was in vain until it was had. */
  #isHeld = false;
  #deadline = 0;

  constructor(connection: LibsqlConnection, path: string) {
    this.#connection = connection;
    this.#path = path;
  }

  /** Somebody has the connection who asked for it then. */
  startWaiting(asked: number): void {
    // Whoever stood behind one that waited in vain has waited for the same lock all the time.
    this.#deadline = this.#isHeld ? toDeadline(asked) : toDeadline();
  }

  async begin(): Promise<void> {
    await this.#typed(() => this.#endRefused());
    this.#isHeld = true;
    // A deferred transaction that turns into a writer fails at once when another process wrote meanwhile.
    await this.#typed(() => waitForLock(() => this.#connection.exec('begin immediate'), this.#deadline));
    this.#isHeld = false;
  }

  async commit(): Promise<void> {
    await this.#typed(() => waitForLock(() => this.#connection.exec('commit')));
  }

  async rollback(): Promise<void> {
    // SQLite rolls back by itself after some faults (disk full), and a second rollback would hide them.
    if (this.#connection.inTransaction) await this.#typed(() => this.#connection.exec('rollback'));
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#connection.inTransaction) return this.#typed(() => this.#run<R>(query));
    if (SelectQueryNode.is(query.query)) return this.#typed(() => this.#select<R>(query));
    // With the lock taken first, nothing that runs on the event loop has to wait for it.
    await this.begin();
    try {
      const result = await this.#typed(() => this.#run<R>(query));
      await this.commit();
      return result;
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }

  /** Tries again with the same statement, which starts anew each time. */
  async #select<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const statement = await waitForLock(() => this.#connection.prepare(sql));
    const read = () => statement.all(parameters.map(toBindable));
    try {
      return { rows: (await waitForLock(read)) as R[] };
    } catch (error) {
      if (isLocked(error)) this.#refused.push(read);
      throw error;
    }
  }

  /**
   * Ends what was refused before. SQLite takes a statement that was refused for a lock for one that still reads, until
   * it has run: every transaction after it would leave a lock behind, and this connection would never see newer rows.
   */
  async #endRefused(): Promise<void> {
    for (let read = this.#refused[0]; read; read = this.#refused[0]) {
      await waitForLock(read).catch((error: unknown) => {
        // Any other fault has ended it as well, and is for those who ask again.
        if (isLocked(error)) throw error;
      });
      this.#refused.shift();
    }
  }

  async #run<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const statement = await this.#connection.prepare(query.sql);
    const parameters = query.parameters.map(toBindable);
    if (statement.reader) return { rows: (await statement.all(parameters)) as R[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  async #typed<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw toStoreError(error, this.#path);
    }
  }
}

/** SQLite has no truth values, and the driver ends the process when it is given one. */
function toBindable(parameter: unknown): unknown {
  return typeof parameter === 'boolean' ? Number(parameter) : parameter;
}

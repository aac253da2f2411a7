/** Looks at a store file around its opening: cheap at any size, and never writes. */
// The file itself is opened by SQLite alone: whoever closes another handle of it lets go of every lock this process
// has on it, and the next process to leave would then throw away a log that is still written to.
import { stat } from 'node:fs/promises';
import type { LibsqlConnection } from './dialects/libsql.ts';
import { toCorruptError } from './store-error.ts';

const HEADER_BYTES = 100;

/** What was there before SQLite came. */
export interface FileFacts {
  /** Bytes of the store; undefined when there is no file. */
  readonly size: number | undefined;
  /** Bytes of its log. */
  readonly log: number;
}

/** Looks before the file is opened; throws STORE_CORRUPT for what SQLite would take for a new database. */
export async function checkFile(path: string): Promise<FileFacts> {
  // In this order: another process may be making the store, or emptying its log, right now.
  const log = (await sizeOf(`${path}-wal`)) ?? 0;
  const size = await sizeOf(path);
  // SQLite would take the file for a new database and throw the log away, which may hold all there is.
  if (size === 0 && log > 0) throw toCorruptError(path, 'it is empty, but its log is not');
  if (size !== undefined && size > 0 && size < HEADER_BYTES)
    throw toCorruptError(path, 'it is not a database');
  return { size, log };
}

/** Looks at an open file; throws STORE_CORRUPT when it is shorter than it says. */
export async function checkLength(
  path: string,
  before: FileFacts,
  connection: LibsqlConnection,
  measure: (path: string) => Promise<number | undefined> = sizeOf,
): Promise<void> {
  // With a log the length may lag behind: an interrupted checkpoint is finished when the log is read.
  if (before.size === undefined || before.size === 0 || before.log > 0) return;
  const expected = (await readPragma(connection, 'page_size')) * (await readPragma(connection, 'page_count'));
  // The log before the file: one that is empty by now has been written into the file before the file is measured.
  const log = (await measure(`${path}-wal`)) ?? 0;
  const size = (await measure(path)) ?? 0;
  if (log === 0 && size < expected) throw toCorruptError(path, `it is cut off: ${size} of ${expected} bytes`);
}

async function readPragma(connection: LibsqlConnection, name: 'page_size' | 'page_count'): Promise<number> {
  const [row] = await (await connection.prepare(`pragma ${name}`)).all([]);
  return Number((row as Readonly<Record<string, unknown>> | undefined)?.[name] ?? 0);
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch {
    return undefined;
  }
}

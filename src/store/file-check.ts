/** Looks at a store file before SQLite does: cheap at any size, and never writes. */
import { open, stat } from 'node:fs/promises';
import { toCorruptError } from './store-error.ts';

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const HEADER_BYTES = 100;

/** Throws STORE_CORRUPT when the file is no database or is shorter than it says; an empty file is a new store. */
export async function checkFile(path: string): Promise<void> {
  // In this order: another process may be making the store, or emptying its log, right now.
  const logBefore = await sizeOf(`${path}-wal`);
  const { header, sizeBefore, size } = await readHeader(path);
  if (sizeBefore === 0) {
    // SQLite would take the file for a new database and throw the log away, which may hold all there is.
    if (logBefore > 0) throw toCorruptError(path, 'it is empty, but its log is not');
    return;
  }
  if (sizeBefore < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw toCorruptError(path, 'it is not a database');
  }
  // With a log the length may lag behind: an interrupted checkpoint is finished when the log is read.
  const hasLog = logBefore > 0 || (await sizeOf(`${path}-wal`)) > 0;
  if (!hasLog && size < expectedSize(header)) {
    throw toCorruptError(path, `it is cut off: ${size} of ${expectedSize(header)} bytes`);
  }
}

/** The first bytes, and how long the file was before and after they were read. */
async function readHeader(path: string): Promise<{ header: Buffer; sizeBefore: number; size: number }> {
  const file = await open(path, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const sizeBefore = (await file.stat()).size;
    await file.read(header, 0, HEADER_BYTES, 0);
    return { header, sizeBefore, size: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}

/** How long the file should be, by https://sqlite.org/fileformat2.html §1.3; 0 when the header does not say. */
function expectedSize(header: Buffer): number {
  const stored = header.readUInt16BE(16);
  const pageSize = stored === 1 ? 65_536 : stored;
  const countIsValid = header.readUInt32BE(24) === header.readUInt32BE(92);
  return countIsValid ? pageSize * header.readUInt32BE(28) : 0;
}

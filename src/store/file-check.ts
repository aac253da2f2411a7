/** Looks at a store file before SQLite does: cheap at any size, and never writes. */
import { open, stat } from 'node:fs/promises';
import { toCorruptError } from './store-error.ts';

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const HEADER_BYTES = 100;

/** Throws STORE_CORRUPT when the file is no database or is shorter than it says; an empty file is a new store. */
export async function checkFile(path: string): Promise<void> {
  const { header, size } = await readHeader(path);
  const logSize = await sizeOf(`${path}-wal`);
  if (size === 0) {
    // SQLite would take the file for a new database and throw the log away, which may hold all there is.
    if (logSize > 0) throw toCorruptError(path, 'it is empty, but its log is not');
    return;
  }
  if (size < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw toCorruptError(path, 'it is not a database');
  }
  // With a log the length may lag behind: an interrupted checkpoint is finished when the log is read.
  if (logSize === 0 && size < expectedSize(header)) {
    throw toCorruptError(path, `it is cut off: ${size} of ${expectedSize(header)} bytes`);
  }
}

async function readHeader(path: string): Promise<{ header: Buffer; size: number }> {
  const file = await open(path, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    await file.read(header, 0, HEADER_BYTES, 0);
    return { header, size: (await file.stat()).size };
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

/** Changes a text file so that nobody ever sees half of it, and of two who change it at once neither is lost. */
import { randomBytes } from 'node:crypto';
import { chmod, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { takeLock } from './edit-file-lock.ts';
import { makeFolder } from './make-folder.ts';

/** A file before and after. */
export interface FileChange {
  readonly path: string;
  /** Undefined when there was no file. */
  readonly before: string | undefined;
  readonly after: string;
}

const PRIVATE = 0o600;

/** The text of a file, or undefined when there is none. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Replaces the text of a file by what is made of it; the same text writes nothing, and whatever is thrown leaves the
 * file alone. `onWritten` is called when that is done, while nobody else may change it.
 */
export async function editFile(
  given: string,
  change: (before: string | undefined) => string,
  onWritten: () => void = () => {},
): Promise<FileChange> {
  const path = await realpath(given).catch(() => given);
  makeFolder(dirname(path));
  const unlock = await takeLock(`${path}.lock`);
  try {
    const before = await readText(path);
    const after = change(before);
    if (after !== before) await writeWhole(path, after);
    onWritten();
    return { path: given, before, after };
  } finally {
    await unlock();
  }
}

/** Writes beside the file and puts it in its place: readers have the old text or the new one. */
async function writeWhole(path: string, text: string): Promise<void> {
  const beside = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  const mode = await stat(path).then(
    (found) => found.mode & 0o777,
    () => PRIVATE,
  );
  try {
    const file = await open(beside, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    // The process's mask may have taken bits that the old file had.
    await chmod(beside, mode);
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

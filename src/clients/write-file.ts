/** Writes a client's file: under a lock, atomically, only after a copy was kept, or not at all. */
import { isUtf8 } from 'node:buffer';
import { readFileSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { GatewayError } from '../errors/gateway-error.ts';
import { refusing } from '../errors/refusing.ts';
import { editFile, readText } from '../lib/edit-file.ts';

/** Makes a new text of the old one; undefined removes the file. */
export type Change = (before: string | undefined) => string | undefined;

const WAY_OUT = 'name another file with: thimble client config <client> --path <file>';

/** The text of a file; throws FILE_REFUSED when it cannot be read as text. */
export async function readClientFile(path: string): Promise<string | undefined> {
  const text = await refusing(path, 'read', () => readText(path), WAY_OUT);
  refuseBinary(path, text);
  return text;
}

/** Changes a file; whatever is thrown leaves it as it is. `onWritten` is called while nobody else may write it. */
export async function writeClientFile(path: string, change: Change, onWritten: () => void): Promise<void> {
  await refuseReadOnly(path);
  const toText = (before: string | undefined) => edit(path, before, change, onWritten);
  try {
    await refusing(path, 'written', () => editFile(path, toText, onWritten), WAY_OUT);
  } catch (error) {
    if (!(error instanceof NothingThere)) throw error;
  }
}

/** There is no file, and there shall be none. */
class NothingThere extends Error {}

function edit(path: string, before: string | undefined, change: Change, onWritten: () => void): string {
  refuseBinary(path, before);
  const after = change(before);
  if (after !== undefined) return after;
  if (before === undefined) {
    onWritten();
    throw new NothingThere();
  }
  rmSync(path, { force: true });
  // The same text writes nothing, so the file stays away.
  return before;
}

/** A file that was made read-only is not to be written, though replacing it would work. */
async function refuseReadOnly(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found || (found.mode & 0o222) !== 0) return;
  throw new GatewayError(
    'FILE_REFUSED',
    `${path} is read-only, so it was left as it is; make it writable and try again`,
    { data: { file: path } },
  );
}

/** Bytes that are no text could not be put back as they were. */
function refuseBinary(path: string, text: string | undefined): void {
  if (!text?.includes('\uFFFD') || isUtf8(readFileSync(path))) return;
  throw new GatewayError(
    'FILE_REFUSED',
    `${path} is not UTF-8 text, so it was left as it is; save it with that encoding and try again`,
    { data: { file: path } },
  );
}

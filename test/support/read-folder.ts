/** Every byte below a folder, to look for what must not be in any file. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files of a folder as one text; a file that goes meanwhile, as the log of a store that was closed, is left out. */
export async function readFolder(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const texts = entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(join(entry.parentPath ?? entry.path, entry.name), 'latin1').catch(() => ''));
  return (await Promise.all(texts)).join('\n');
}

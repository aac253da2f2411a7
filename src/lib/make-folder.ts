/** Makes a folder and those above it, one level at a time: Node's own way never ends where the system refuses with ENOENT, as in /proc. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes what is missing of a path; throws what the system said when it cannot be made. */
export function makeFolder(path: string, mode?: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isFolder(path)) return;
    const above = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path || isFolder(above)) throw error;
    makeFolder(above, mode);
    // Once more and no further, whoever takes away what was just made.
    if (!isFolder(path)) mkdirOnce(path, mode);
  }
}

function mkdirOnce(path: string, mode: number | undefined): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

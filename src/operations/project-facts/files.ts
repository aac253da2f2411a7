/** The files of a project, looked at with measure: not deep, not many, not large, and no link is followed. */
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CancelSignal } from '../../lib/cancel.ts';

/** What was found in a directory and below. */
export interface ProjectFiles {
  readonly root: string;
  /** From the root, with `/`, sorted: what is nearer to the root first. */
  readonly paths: readonly string[];
  /** True when there was more than is looked at. */
  readonly truncated: boolean;
  /** The beginning of a file; undefined when it is none, or may not be read. */
  read(path: string): Promise<string | undefined>;
}

const MAX_DEPTH = 7;
const MAX_FILES = 5_000;
const MAX_BYTES = 128 * 1024;

/** What others made: installed, built or fetched. */
const NOT_OURS: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.next',
  '.nuxt',
  '.svn',
  '.terraform',
  '.tox',
  '.venv',
  '__pycache__',
  'bower_components',
  'build',
  'coverage',
  'dist',
  'node_modules',
  'out',
  'target',
  'vendor',
  'venv',
]);

/** Looks through a directory. */
export async function readProjectFiles(root: string, signal?: CancelSignal): Promise<ProjectFiles> {
  const paths: string[] = [];
  let truncated = false;
  let level: readonly string[] = [''];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) {
      truncated = true;
      break;
    }
    const next: string[] = [];
    for (const folder of level) {
      signal?.throwIfAborted();
      for (const { path, isFolder } of await list(root, folder)) {
        if (isFolder) next.push(path);
        else if (paths.length < MAX_FILES) paths.push(path);
        else truncated = true;
      }
      if (truncated) break;
    }
    if (truncated) break;
    level = next;
  }
  return { root, paths, truncated, read: (path) => readStart(join(root, path)) };
}

async function list(root: string, folder: string): Promise<{ path: string; isFolder: boolean }[]> {
  // What may not be listed is somebody else's; the rest of the project is still worth knowing.
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() || (entry.isDirectory() && !NOT_OURS.has(entry.name)))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => ({
      path: folder === '' ? entry.name : `${folder}/${entry.name}`,
      isFolder: entry.isDirectory(),
    }));
}

async function readStart(path: string): Promise<string | undefined> {
  try {
    // Neither a link out of the project nor a pipe that never ends.
    if (!(await lstat(path)).isFile()) return undefined;
    await using file = await openFile(path);
    const buffer = Buffer.alloc(MAX_BYTES);
    const { bytesRead } = await file.handle.read(buffer, 0, MAX_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return undefined;
  }
}

async function openFile(path: string) {
  const handle = await open(path, 'r');
  return { handle, [Symbol.asyncDispose]: () => handle.close() };
}

/** A lock beside a file that is being changed: held by one at a time, and taken over when it was left behind. */
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm, rmdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Somebody who changes a file needs milliseconds; a lock this old was left behind. */
const STALE_MS = 10_000;
const RETRY_MS = 20;
const PRIVATE_FILE = { flag: 'wx', mode: 0o600 };
const PRIVATE_FOLDER = 0o700;
/** What is called otherwise is not ours to remove, wherever the folder came from. */
const OWNER = /^[0-9a-f]{24}$/;

const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);
/** What the system says when somebody else was faster. */
const TAKEN: ReadonlySet<string> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR']);
/** Windows lets no folder take the place of another, and says it like this. */
const TAKEN_ON_WINDOWS: ReadonlySet<string> = new Set(['EPERM', 'EACCES', 'EBUSY']);

/** The single steps of taking a lock; between any two of them others may take theirs. */
export const LOCK_STEPS = { lstat, mkdir, readdir, rename, rm, rmdir, unlink, writeFile, delay };

/** Waits for the lock and takes it; the returned function gives it back. */
export async function takeLock(path: string, steps = LOCK_STEPS): Promise<() => Promise<void>> {
  for (;;) {
    const owner = (await isFree(path, steps)) ? await tryTake(path, steps) : undefined;
    if (owner !== undefined) return () => giveBack(path, owner, steps);
    // A timer that holds the process: a command that waits here must not end in the middle of it.
    await steps.delay(RETRY_MS);
  }
}

/**
 * Puts a folder in its place that holds one file, named like nobody else's; undefined when somebody else did. A folder
 * takes the place of an empty one in one step, and never that of one that holds something.
 */
async function tryTake(path: string, steps: typeof LOCK_STEPS): Promise<string | undefined> {
  const owner = randomBytes(12).toString('hex');
  const ours = `${path}.${owner}`;
  await steps.mkdir(ours, PRIVATE_FOLDER);
  try {
    await steps.writeFile(join(ours, owner), '', PRIVATE_FILE);
    await steps.rename(ours, path);
    return owner;
  } catch (error) {
    await steps.rm(ours, { recursive: true, force: true });
    if (isTaken(error)) return undefined;
    throw error;
  }
}

/** Whether nobody seems to have it; what was left behind is cleared away. */
async function isFree(path: string, steps: typeof LOCK_STEPS): Promise<boolean> {
  const found = await orMissing(steps.lstat(path));
  if (!found) return true;
  if (!found.isDirectory()) {
    if (!isStale(found)) return false;
    // Left by an earlier version. Should there be a folder by now, this does not remove it.
    await steps.unlink(path).catch(() => {});
    return true;
  }
  const [name] = (await orMissing(steps.readdir(path))) ?? [];
  if (name === undefined) {
    await steps.rmdir(path).catch(() => {});
    return true;
  }
  // A folder that holds something else is nobody's lock: the system says what is wrong with it.
  if (!OWNER.test(name)) await steps.rmdir(path);
  if (!isStale(await orMissing(steps.lstat(join(path, name))))) return false;
  await giveBack(path, name, steps);
  return true;
}

/** Removes the very file that was seen: whoever comes late finds it gone, and what another put there stays. */
async function giveBack(path: string, owner: string, steps: typeof LOCK_STEPS): Promise<void> {
  await orMissing(steps.unlink(join(path, owner)));
  // Unless it is another's by now, and so not empty.
  await steps.rmdir(path).catch(() => {});
}

function isStale(found: Stats | undefined): boolean {
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MS;
}

async function orMissing<Result>(act: Promise<Result>): Promise<Result | undefined> {
  try {
    return await act;
  } catch (error) {
    if (MISSING.has(toCode(error))) return undefined;
    throw error;
  }
}

function isTaken(error: unknown): boolean {
  const code = toCode(error);
  return TAKEN.has(code) || (process.platform === 'win32' && TAKEN_ON_WINDOWS.has(code));
}

function toCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

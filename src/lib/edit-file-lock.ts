/** A lock beside a file that is being changed: held by one at a time, and taken over when it was left behind. */
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Somebody who changes a file needs milliseconds; a lock this old was left behind. */
const STALE_MS = 10_000;
const RETRY_MS = 20;
const PRIVATE = 0o600;

/** Waits for the lock and takes it; the returned function gives it back. */
export async function takeLock(path: string): Promise<() => Promise<void>> {
  for (;;) {
    try {
      const file = await open(path, 'wx', PRIVATE);
      const ours = await file.stat().finally(() => file.close());
      return () => removeLock(path, ours);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > STALE_MS) await removeLock(path, found);
    // A timer that holds the process: a command that waits here must not end in the middle of it.
    await delay(RETRY_MS);
  }
}

/**
 * Removes a lock if it is still the one that was seen: of several who find one left behind the slower ones come upon
 * the next one, and so does an owner that slept too long. Moved aside it is seen which it is.
 */
export async function removeLock(path: string, seen: Stats): Promise<void> {
  const aside = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if (isSame(await stat(aside), seen)) await rm(aside, { force: true });
  else await rename(aside, path);
}

/** The number of a file may be used again, but not with the time of a lock that was old by then. */
function isSame(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.mtimeMs === b.mtimeMs;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

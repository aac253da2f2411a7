/** Waits for another holder of the store by trying again, so that neither the event loop nor a worker stands still. */
import { setTimeout as delay } from 'node:timers/promises';

/** How long a statement waits for another process that holds the store. */
const LOCK_WAIT_MS = 5_000;

/**
 * How long SQLite itself waits. It does so on the event loop for some calls and on one of few shared workers for
 * the others, where a waiting connection can keep the one it waits for from running; so it hardly waits at all.
 */
export const BUSY_TIMEOUT_MS = 10;

const PAUSE_MS = 15;

/** Runs an attempt until it is not refused for a lock, or the time is up. */
export async function waitForLock<T>(attempt: () => Promise<T>, deadline = toDeadline()): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLocked(error) || performance.now() + PAUSE_MS >= deadline) throw error;
      await delay(PAUSE_MS);
    }
  }
}

/** The moment at which a wait that started then, or starts now, is given up. */
export function toDeadline(since = performance.now()): number {
  return since + LOCK_WAIT_MS;
}

/** What SQLite says when somebody else holds the file. */
const LOCK_CODES = ['SQLITE_BUSY', 'SQLITE_LOCKED'];

/**
 * An error without a reason, seen when many processes write and some are killed. The driver asks SQLite for the reason
 * after the fact, when something else on the connection may have overwritten it. What is tried again here can be tried
 * again whatever the reason was.
 */
const LOST_CODE = 'SQLITE_OK';

/** True for an error that may be gone when the same is tried again. */
export function isLocked(thrown: unknown): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (typeof code !== 'string') return false;
  return code === LOST_CODE || LOCK_CODES.some((prefix) => code.startsWith(prefix));
}

/** What programs started outside their groups: found by the marks it bears, and ended. */
import { readFileSync } from 'node:fs';
import type { Clock } from '../lib/clock.ts';
import {
  isStillThere,
  type MarkedProcess,
  readCgroup,
  readMarked,
  readMarkedNow,
} from './connectors/stdio/marks.ts';
import { pause } from './within.ts';

/** Ends what is left of programs. */
export interface Strays {
  /** A program was started with a mark: what bears it is ended with this process at the latest. */
  begin(mark: string): void;
  /**
   * Ends all that bears a mark; says whether anything did. What was moved to another control group than that of the
   * gateway which started it, ours unless told, belongs to somebody else now and is left alone. Rejects when it could
   * not be looked for; it is then still ended with this process.
   */
  end(mark: string, cgroup?: string): Promise<boolean>;
}

/** How long they may take to end when asked to. */
const TERM_MS = 1_000;
const LOOK_MS = 50;
/** What starts others while it is being killed is looked for again, but not for ever. */
const ROUNDS = 5;

/** Creates what ends them. */
export function createStrays(clock: Clock, look = readMarked): Strays {
  const share = createSharedLook(look);
  const marks = new Set<string>();
  const endNow = () => killAll(marks);
  return {
    begin(mark) {
      if (marks.size === 0) process.on('exit', endNow);
      marks.add(mark);
    },
    async end(mark, cgroup) {
      const hadAny = await endAll(mark, cgroup ?? (await readCgroup('self')), { share, clock });
      marks.delete(mark);
      if (marks.size === 0) process.off('exit', endNow);
      return hadAny;
    },
  };
}

type Look = () => Promise<readonly MarkedProcess[]>;

async function endAll(
  mark: string,
  cgroup: string,
  { share, clock }: { readonly share: Look; readonly clock: Clock },
): Promise<boolean> {
  const find = async () => (await share()).filter((one) => one.mark === mark && one.cgroup === cgroup);
  let found = await find();
  if (found.length === 0) return false;
  await ask(found, clock);
  for (let round = 0; found.length > 0 && round < ROUNDS; round++) {
    for (const one of found) signal(one, 'SIGKILL');
    found = await find();
  }
  return true;
}

/** For a process that exits there is no time to ask. */
function killAll(marks: ReadonlySet<string>): void {
  try {
    const own = readFileSync('/proc/self/cgroup', 'utf8');
    for (const one of readMarkedNow()) if (marks.has(one.mark) && one.cgroup === own) signal(one, 'SIGKILL');
  } catch {
    // Without /proc nothing can be found, and an error now would only change the exit code.
  }
}

/** All who ask while a look is under way share the next one: theirs may have been missed by the one before. */
function createSharedLook(look: Look): Look {
  let next: Promise<readonly MarkedProcess[]> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    next ??= last.then(() => {
      next = undefined;
      const looking = look();
      last = looking.catch(() => {});
      return looking;
    });
    return next;
  };
}

/** Asks them to end, and gives them time to. */
async function ask(found: readonly MarkedProcess[], clock: Clock): Promise<void> {
  for (const one of found) signal(one, 'SIGTERM');
  const never = new AbortController().signal;
  for (let waited = 0; waited < TERM_MS && found.some(isStillThere); waited += LOOK_MS)
    await pause(LOOK_MS, clock, never);
}

function signal(one: MarkedProcess, name: NodeJS.Signals): void {
  // Its pid may have gone to another since it was found.
  if (!isStillThere(one)) return;
  try {
    process.kill(one.pid, name);
  } catch (error) {
    // ESRCH: it has just ended. EPERM: it has become another user's.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

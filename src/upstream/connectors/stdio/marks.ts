/** Marks of the programs we start: a variable that whatever they start inherits, also where it leaves their group. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { isOutOfFiles, listPids, readEach, readIfThere, toStart } from './processes.ts';

/** The variable that holds the mark. */
export const MARK_VARIABLE = 'THIMBLE_CHILD';

/** One running process that bears a mark. */
export interface MarkedProcess {
  readonly pid: number;
  /** Together with the pid it names one process. */
  readonly start: string;
  readonly mark: string;
  /** The control group it is in: desktops, containers and services give theirs one of their own. */
  readonly cgroup: string;
}

const MARK = new RegExp(`(?:^|\\0)${MARK_VARIABLE}=([^\\0]*)`);

/** A mark nobody else has; undefined where marks could not be read back. */
export function createMark(): string | undefined {
  return process.platform === 'linux' ? randomUUID() : undefined;
}

/** Every process that bears a mark and that we may look at; none where the system does not tell. Rejects when files run out. */
export async function readMarked(): Promise<readonly MarkedProcess[]> {
  return process.platform === 'linux' ? readEach(await listPids(), readMarkedProcess) : [];
}

/** The control group of a process; empty where the system does not tell. */
export async function readCgroup(pid: number | 'self'): Promise<string> {
  return (await readIfThere(`/proc/${pid}/cgroup`)) ?? '';
}

/** The same without a pause, for a process that is about to exit. */
export function readMarkedNow(): readonly MarkedProcess[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    try {
      const mark = toMark(readFileSync(`/proc/${pid}/environ`, 'latin1'));
      if (mark === undefined) return [];
      const start = toStart(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      return [{ pid, start, mark, cgroup: readFileSync(`/proc/${pid}/cgroup`, 'utf8') }];
    } catch {
      return [];
    }
  });
}

/** Whether it still runs and is the one that was seen: looked at without a pause, for whoever is about to end it. Throws when files run out. */
export function isStillThere({ pid, start, mark }: MarkedProcess): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return toStart(stat) === start && toMark(readFileSync(`/proc/${pid}/environ`, 'latin1')) === mark;
  } catch (error) {
    if (isOutOfFiles(error)) throw error;
    return false;
  }
}

async function readMarkedProcess(pid: number): Promise<MarkedProcess | undefined> {
  // What another user runs cannot be read, and what has ended is empty.
  const mark = toMark((await readIfThere(`/proc/${pid}/environ`, 'latin1')) ?? '');
  if (mark === undefined) return undefined;
  const [stat, cgroup] = await Promise.all([readIfThere(`/proc/${pid}/stat`), readCgroup(pid)]);
  return stat === undefined ? undefined : { pid, start: toStart(stat), mark, cgroup };
}

function toMark(environment: string): string | undefined {
  return MARK.exec(environment)?.[1];
}

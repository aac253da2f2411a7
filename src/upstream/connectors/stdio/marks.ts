/** Marks of the programs we start: a variable that whatever they start inherits, also where it leaves their group. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { listPids, readEach, readProcess, toStart } from './processes.ts';

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

/** Every process that bears a mark and that we may look at; none where the system does not tell. */
export async function readMarked(): Promise<readonly MarkedProcess[]> {
  return process.platform === 'linux' ? readEach(await listPids(), readMarkedProcess) : [];
}

/** The control group of a process; empty where the system does not tell. */
export function readCgroup(pid: number | 'self'): Promise<string> {
  return readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '');
}

/** The same without a pause, for a process that is about to exit. */
export function readMarkedNow(): readonly MarkedProcess[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    try {
      const mark = toMark(readFileSync(`/proc/${pid}/environ`));
      if (mark === undefined) return [];
      const start = toStart(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      return [{ pid, start, mark, cgroup: readFileSync(`/proc/${pid}/cgroup`, 'utf8') }];
    } catch {
      return [];
    }
  });
}

/** Whether it still runs and is the one that was seen: looked at without a pause, for whoever is about to end it. */
export function isStillThere({ pid, start, mark }: MarkedProcess): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return toStart(stat) === start && toMark(readFileSync(`/proc/${pid}/environ`)) === mark;
  } catch {
    return false;
  }
}

async function readMarkedProcess(pid: number): Promise<MarkedProcess | undefined> {
  // What another user runs cannot be read, and what has ended is empty.
  const environment = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
  const mark = environment && toMark(environment);
  if (mark === undefined) return undefined;
  const [row, cgroup] = await Promise.all([readProcess(pid), readCgroup(pid)]);
  return row && { pid, start: row.start, mark, cgroup };
}

function toMark(environment: Buffer): string | undefined {
  return MARK.exec(environment.toString('latin1'))?.[1];
}

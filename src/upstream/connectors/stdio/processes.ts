/** What the operating system says of running processes: from /proc where there is one, else from `ps`. */
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

/** One running process. */
export interface ProcessRow {
  readonly pid: number;
  /** The process group it belongs to. */
  readonly group: number;
  /** Its session, where that is told. */
  readonly session: number | undefined;
  /** When it started, in a form of the system's own: together with the pid it names one process. */
  readonly start: string;
  readonly memoryBytes: number;
}

/** Where pids mean something: a boot of a machine, and a space of pids on it. */
export interface PidPlace {
  readonly boot: string;
  readonly space: string;
}

const AT_ONCE = 64;
const PS_MS = 5_000;
/** What nearly every Linux uses; where pages are larger, memory is reported too low. */
const PAGE_BYTES = 4096;
/** Which of the fields after the name is the start. */
const START = 19;
const hasProc = process.platform === 'linux';

/** One process; undefined when it is not running. Rejects, as all of these do, when files run out. */
export async function readProcess(pid: number): Promise<ProcessRow | undefined> {
  if (hasProc) return readStat(pid);
  return (await listByPs(['-p', String(pid)]))[0];
}

/** All processes that are running; none where the system does not tell. */
export async function readProcesses(): Promise<readonly ProcessRow[]> {
  if (!hasProc) return listByPs(['-ax']);
  return readEach(await listPids(), readStat);
}

/** The pids that /proc tells of. */
export async function listPids(): Promise<readonly number[]> {
  return (await readdir('/proc')).map(Number).filter(Number.isInteger);
}

/** Reads something of each, not of all at once; what is undefined is left out. */
export async function readEach<Row>(
  pids: readonly number[],
  read: (pid: number) => Promise<Row | undefined>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let at = 0; at < pids.length; at += AT_ONCE) {
    const some = await Promise.all(pids.slice(at, at + AT_ONCE).map(read));
    rows.push(...some.filter((row) => row !== undefined));
  }
  return rows;
}

/** What runs out when too many files are open, here or on the machine. */
const OUT_OF_FILES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

/** The text of a file, undefined when there is none that we may read; rejects when files run out, since that says nothing of it. */
export async function readIfThere(
  path: string,
  encoding: BufferEncoding = 'utf8',
): Promise<string | undefined> {
  try {
    return await readFile(path, encoding);
  } catch (error) {
    if (isOutOfFiles(error)) throw error;
    return undefined;
  }
}

/** True for what the system says when no more files can be opened. */
export function isOutOfFiles(error: unknown): boolean {
  return OUT_OF_FILES.has(String((error as NodeJS.ErrnoException).code));
}

/** When a process started, from the text of its /proc/<pid>/stat. */
export function toStart(stat: string): string {
  return String(toFields(stat)[START]);
}

/** Where we are. */
export async function readPidPlace(): Promise<PidPlace> {
  const boot = (await readIfThere('/proc/sys/kernel/random/boot_id')) ?? '';
  const space = await readlink('/proc/self/ns/pid').catch(() => '');
  return { boot: boot.trim(), space };
}

async function readStat(pid: number): Promise<ProcessRow | undefined> {
  const text = await readIfThere(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = toFields(text);
  const [state, , group, session] = fields;
  // Ended, but not waited for yet.
  if (state === 'Z' || state === 'X') return undefined;
  const memoryBytes = Number(fields[21]) * PAGE_BYTES;
  return { pid, group: Number(group), session: Number(session), start: String(fields[START]), memoryBytes };
}

/** The fields from the state on; the name before, in brackets, may hold anything, brackets and spaces too. */
function toFields(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

async function listByPs(which: readonly string[]): Promise<ProcessRow[]> {
  if (process.platform === 'win32') return [];
  const columns = ['-o', 'pid=,pgid=,rss=,lstart='];
  const said = await promisify(execFile)('ps', [...which, ...columns], { timeout: PS_MS }).catch(
    () => undefined,
  );
  return (said?.stdout ?? '').split('\n').flatMap((line) => {
    const [pid, group, kilobytes, ...start] = line.trim().split(/\s+/);
    if (start.length === 0) return [];
    const memoryBytes = Number(kilobytes) * 1024;
    return [
      { pid: Number(pid), group: Number(group), session: undefined, start: start.join(' '), memoryBytes },
    ];
  });
}

/** The process groups we started, noted on disk, so that what a dead gateway left behind is found and ended. */
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Clock } from '../lib/clock.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { readCgroup } from './connectors/stdio/marks.ts';
import {
  type PidPlace,
  type ProcessRow,
  readIfThere,
  readPidPlace,
  readProcess,
  readProcesses,
} from './connectors/stdio/processes.ts';
import { createStrays, type Strays } from './strays.ts';
import { pause } from './within.ts';

/** Keeps track of the groups of a gateway's children; each is known by the pid of its leader. */
export interface ProcessGroups {
  /** A group was just started; with the mark that all its program starts will bear, where there is one. */
  started(leader: number, mark?: string): void;
  /** Ends what bears a mark and is in no group of ours. Never rejects; where it could not be looked for, the note of its group stays. */
  endStrays(mark: string): Promise<void>;
  /** A group is gone. */
  ended(leader: number): void;
  /** Ends what gateways that are dead left behind, and nothing else; says which. Never rejects. */
  sweep(): Promise<readonly number[]>;
}

/** What a file of groups is made of. */
export interface ProcessGroupsOptions {
  /** Where the notes lie; made when first needed. */
  readonly directory: string;
  readonly clock: Clock;
  /** Told when notes cannot be read or written. */
  onFault(error: unknown): void;
}

const NOTE = z.object({
  leader: z.int().positive(),
  start: z.string(),
  owner: z.int().positive(),
  ownerStart: z.string(),
  boot: z.string(),
  space: z.string(),
  mark: z.string().optional(),
  /** The control group of the owner. */
  cgroup: z.string().optional(),
});

type Note = z.infer<typeof NOTE>;

const NOTE_NAME = /^\d+-[\w]+\.json$/;
/** How long a group may take to end when asked to. */
const TERM_MS = 1_000;
const LOOK_MS = 50;

/** Groups nobody needs to remember, for gateways without a home. */
export function createForgetfulGroups(clock: Clock): ProcessGroups {
  const strays = createStrays(clock);
  return {
    started(_leader, mark) {
      if (mark !== undefined) strays.begin(mark);
    },
    async endStrays(mark) {
      await strays.end(mark).catch(() => {});
    },
    ended() {},
    sweep: async () => [],
  };
}

/** Notes groups in a directory, one small file each. */
export function createProcessGroups(options: ProcessGroupsOptions): ProcessGroups {
  const { directory, onFault } = options;
  const notes = new Map<
    number,
    { readonly mark: string | undefined; readonly path: Promise<string | undefined> }
  >();
  /** Marks whose strays could not be looked for. */
  const unsure = new Set<string>();
  const self = readSelf();
  // Whoever notes a group says so.
  self.catch(() => {});
  const strays = createStrays(options.clock);

  async function note(leader: number, mark: string | undefined): Promise<string | undefined> {
    const row = await readProcess(leader);
    const owner = await self;
    if (row === undefined || owner === undefined) return undefined;
    makeFolder(directory, 0o700);
    const path = join(directory, `${leader}-${row.start.replaceAll(/\W/g, '')}.json`);
    const text = JSON.stringify({ leader, start: row.start, mark, ...owner } satisfies Note);
    // Renamed when whole: a note that cannot be read is then never one of a gateway that lives.
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
    return path;
  }

  return {
    started(leader, mark) {
      if (mark !== undefined) strays.begin(mark);
      const path = note(leader, mark).catch((error: unknown) => {
        onFault(error);
        return undefined;
      });
      notes.set(leader, { mark, path });
    },
    async endStrays(mark) {
      await strays.end(mark).catch((error: unknown) => {
        unsure.add(mark);
        onFault(error);
      });
    },
    ended(leader) {
      const noted = notes.get(leader);
      notes.delete(leader);
      // The note stays for the sweep of a later gateway.
      if (!noted || (noted.mark !== undefined && unsure.delete(noted.mark))) return;
      void noted.path
        .then((path) => (path === undefined ? undefined : rm(path, { force: true })))
        .catch(onFault);
    },
    async sweep() {
      try {
        return await sweep(options, strays);
      } catch (error) {
        onFault(error);
        return [];
      }
    },
  };
}

async function readSelf(): Promise<Omit<Note, 'leader' | 'start' | 'mark'> | undefined> {
  const [row, place, cgroup] = await Promise.all([
    readProcess(process.pid),
    readPidPlace(),
    readCgroup('self'),
  ]);
  return row && { owner: process.pid, ownerStart: row.start, cgroup, ...place };
}

async function sweep({ directory, clock }: ProcessGroupsOptions, strays: Strays): Promise<readonly number[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const paths = names.filter((name) => NOTE_NAME.test(name)).map((name) => join(directory, name));
  if (paths.length === 0) return [];
  const [processes, place] = await Promise.all([readProcesses(), readPidPlace()]);
  const ended = await Promise.all(paths.map((path) => settle(path, processes, place, { clock, strays })));
  return ended.filter((leader) => leader !== undefined);
}

/** Deals with one note: whose owner lives is left alone, the others are ended and forgotten. */
async function settle(
  path: string,
  processes: readonly ProcessRow[],
  place: PidPlace,
  { clock, strays }: { readonly clock: Clock; readonly strays: Strays },
): Promise<number | undefined> {
  const note = await readNote(path);
  // In another space of pids, such as a container's, the same numbers mean other processes.
  if (note && note.space !== place.space) return undefined;
  const isOfNow = note?.boot === place.boot;
  const lives = (pid: number, start: string) =>
    processes.some((row) => row.pid === pid && row.start === start);
  if (note && isOfNow && lives(note.owner, note.ownerStart)) return undefined;
  const isLeft = note && isOfNow && isOurs(note, processes);
  if (isLeft) await endGroup(note.leader, clock);
  const { mark, cgroup } = note ?? {};
  const hadStrays = isOfNow && mark !== undefined && (await strays.end(mark, cgroup));
  await rm(path, { force: true });
  return isLeft || hadStrays ? note?.leader : undefined;
}

async function readNote(path: string): Promise<Note | undefined> {
  const text = await readIfThere(path);
  try {
    return NOTE.parse(JSON.parse(text ?? ''));
  } catch {
    // Half written when its owner died, or no note of ours: it names no group.
    return undefined;
  }
}

/** Whether the group that bears the leader's pid now is the one that was noted. */
function isOurs({ leader, start }: Note, processes: readonly ProcessRow[]): boolean {
  const members = processes.filter(({ group }) => group === leader);
  const head = processes.find(({ pid }) => pid === leader);
  if (head) return head.start === start && head.group === leader;
  // A pid is not given anew while a group bears it; ours began a session of their own as well.
  return members.some(({ session }) => session === undefined || session === leader);
}

async function endGroup(leader: number, clock: Clock): Promise<void> {
  signal(leader, 'SIGTERM');
  const never = new AbortController().signal;
  for (let waited = 0; waited < TERM_MS; waited += LOOK_MS) {
    if (!signal(leader, 0)) return;
    await pause(LOOK_MS, clock, never);
  }
  signal(leader, 'SIGKILL');
}

/** False when there is nobody to hear it. */
function signal(leader: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, name);
  } catch (error) {
    // ESRCH: it is gone already. EPERM: macOS says so of a group of zombies.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
    return false;
  }
}

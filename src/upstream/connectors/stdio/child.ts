/** One child process in a group of its own: started without a shell, stopped so that nothing is left behind. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { CloseReason } from '../../../wire/channel.ts';
import type { ConnectorPorts } from '../../upstream.ts';
import { settlesWithin } from '../../within.ts';
import { createMark, MARK_VARIABLE } from './marks.ts';
import { keepStderrTail, type StderrTail } from './stderr-tail.ts';

/** What to start, and with which environment. */
export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly clock: Clock;
  /** True when what it starts in a session of its own is none of our business. */
  readonly keepDetached: boolean;
  /** Told when its group begins and when it has ended; ends what it started outside of it. */
  readonly processes: ConnectorPorts['processes'];
  /** Takes out of what it says what nobody may see. */
  readonly hide?: (text: string) => string;
}

/** A running child. */
export interface Child {
  readonly streams: Pick<ChildProcessWithoutNullStreams, 'stdin' | 'stdout'>;
  readonly pid: number | undefined;
  readonly stderr: StderrTail;
  /** Resolves when the child has ended and what it wrote has been read. */
  readonly ended: Promise<CloseReason>;
  /** Asks, then tells, then kills; resolves when all it started is gone. */
  stop(): Promise<void>;
}

const GRACE_MS = 2_000;
const TERM_MS = 3_000;
const DRAIN_MS = 500;

/** Starts a child; rejects when the operating system cannot. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { clock, processes } = options;
  const mark = processes && !options.keepDetached ? createMark() : undefined;
  const child = spawnChild(options, mark);
  // Without a free file handle there is not even a pipe to listen to.
  if ((child.stderr as unknown) === undefined) throw toSpawnError((await once(child, 'error'))[0], options);
  const stderr = keepStderrTail(child.stderr, options.hide ?? ((text) => text));
  const ended = watchEnd(child, stderr, clock);
  const gone = follow(child.pid, mark, ended, processes);
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw toSpawnError(error, options);
  }
  async function stop(): Promise<void> {
    child.stdin.end();
    if (!(await settlesWithin(ended, GRACE_MS, clock))) {
      signalGroup(child, 'SIGTERM');
      if (!(await settlesWithin(ended, TERM_MS, clock))) signalGroup(child, 'SIGKILL');
    }
    await gone;
  }
  return { streams: child, pid: child.pid, stderr, ended, stop };
}

/** Has a child noted for as long as anything of it runs; resolves when nothing does. */
async function follow(
  pid: number | undefined,
  mark: string | undefined,
  ended: Promise<unknown>,
  processes: ChildOptions['processes'],
): Promise<void> {
  if (pid !== undefined) processes?.started(pid, mark);
  await ended;
  if (mark !== undefined) await processes?.endStrays(mark);
  if (pid !== undefined) processes?.ended(pid);
}

function spawnChild(options: ChildOptions, mark: string | undefined): ChildProcessWithoutNullStreams {
  try {
    const child = spawn(options.command, options.args, {
      env: mark === undefined ? options.env : { ...options.env, [MARK_VARIABLE]: mark },
      cwd: options.cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    // Without a listener a failed signal to the child would end the gateway.
    child.on('error', () => {});
    return child;
  } catch (error) {
    throw toSpawnError(error, options);
  }
}

function watchEnd(
  child: ChildProcessWithoutNullStreams,
  stderr: StderrTail,
  clock: Clock,
): Promise<CloseReason> {
  return new Promise((resolve) => {
    const release = killAtExit(child);
    child.on('exit', (code, signal) => {
      release();
      // Children of the child may outlive it, and hold its pipes open.
      signalGroup(child, 'SIGKILL');
      const drained = new Promise((done) => child.once('close', done));
      void settlesWithin(drained, DRAIN_MS, clock).then(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ kind: 'exited', message: toExitMessage(code, signal, stderr) });
      });
    });
  });
}

/** However this process ends, short of being killed itself, its children end with it. */
function killAtExit(child: ChildProcessWithoutNullStreams): () => void {
  // What could not be started has no pid, and its `exit`, with which the listener would go, never comes.
  if (child.pid === undefined) return () => {};
  const kill = () => signalGroup(child, 'SIGKILL');
  // One listener a child is no leak: each goes with its child.
  process.setMaxListeners(Math.max(process.getMaxListeners(), process.listenerCount('exit') + 12));
  process.on('exit', kill);
  return () => process.off('exit', kill);
}

function signalGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // ESRCH: the group is already empty. EPERM: macOS says so of a group of zombies.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

function toExitMessage(code: number | null, signal: string | null, stderr: StderrTail): string {
  const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
  const last = stderr.lines.findLast((line) => line !== '');
  return last === undefined ? how : `${how}; its last line on stderr: ${last}`;
}

const OPEN_FILES = 'too many files are open: raise the limit, or configure fewer servers';
const NO_ROOM = 'the machine has no room for another process: end some, or configure fewer servers';

/** What to do about what the operating system says, where it is not the usual. */
const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'is it executable?',
  E2BIG: 'its arguments and variables are too long together',
  EMFILE: OPEN_FILES,
  ENFILE: OPEN_FILES,
  EAGAIN: NO_ROOM,
  ENOMEM: NO_ROOM,
};

function toSpawnError(error: unknown, { command, cwd }: ChildOptions): GatewayError {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  const where = cwd === undefined ? '' : ` in ${cwd}`;
  const advice = ADVICE[code] ?? 'is it installed and on PATH, and does its directory exist?';
  return new GatewayError('UPSTREAM_UNAVAILABLE', `cannot start "${command}"${where} (${code}); ${advice}`, {
    cause: error,
    data: { command, reason: code },
  });
}

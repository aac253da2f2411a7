/** Runs another program to its end: by its file and a list of arguments, never through a shell, bounded in time and output. */
import { spawn } from 'node:child_process';
import type { CancelSignal } from './cancel.ts';

/** In what a program runs, and how much of it is borne. */
export interface ProgramOptions {
  readonly cwd: string;
  /** All it sees of the environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** How much is read of each of its two outputs; it is ended when it says more. */
  readonly maxBytes: number;
  readonly signal?: CancelSignal | undefined;
}

/** How it ended: by itself, or why it was ended or never began. */
export type ProgramEnd = 'exited' | 'killed' | 'not-started' | 'timed-out' | 'cancelled' | 'cut';

/** What came of it. */
export interface ProgramResult {
  /** Undefined when it did not end by itself. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** True when it had more to say than was read. */
  readonly truncated: boolean;
  readonly end: ProgramEnd;
}

/** Runs a program; settles when it has ended, whatever came of it, and never throws. */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  const { cwd, env, timeoutMs, maxBytes, signal } = options;
  if (signal?.aborted) return nothing('cancelled');
  const child = toChild(file, args, cwd, env);
  if (!child) return nothing('not-started');
  return new Promise((resolve) => {
    let end: ProgramEnd | undefined;
    const outputs = [createOutput(maxBytes), createOutput(maxBytes)] as const;

    function stop(why: ProgramEnd): void {
      end ??= why;
      child?.kill('SIGKILL');
      // Whatever it started may hold the pipes open; nobody reads them any more.
      child?.stdout.destroy();
      child?.stderr.destroy();
    }
    const onAbort = () => stop('cancelled');
    const timer = setTimeout(() => stop('timed-out'), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });

    function finish(code: number | null, otherwise: ProgramEnd): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      const [stdout, stderr] = outputs;
      resolve({
        code: end === undefined ? (code ?? undefined) : undefined,
        stdout: stdout.text(),
        stderr: stderr.text(),
        truncated: stdout.isFull() || stderr.isFull(),
        end: end ?? otherwise,
      });
    }
    child.once('error', () => finish(null, 'not-started'));
    child.once('close', (code) => finish(code, code === null ? 'killed' : 'exited'));
    [child.stdout, child.stderr].forEach((stream, index) => {
      stream.on('data', (chunk: Buffer) => {
        if (!outputs[index]?.add(chunk)) stop('cut');
      });
    });
  });
}

/** Some wrong names and arguments are refused by throwing, before there is a process. */
function toChild(file: string, args: readonly string[], cwd: string, env: ProgramOptions['env']) {
  try {
    const stdio = ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'];
    return spawn(file, [...args], { cwd, env: { ...env }, shell: false, windowsHide: true, stdio });
  } catch {
    return undefined;
  }
}

function nothing(end: ProgramEnd): ProgramResult {
  return { code: undefined, stdout: '', stderr: '', truncated: false, end };
}

/** Bytes up to a limit. */
function createOutput(maxBytes: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  let full = false;
  return {
    /** False when there was no room for all of it. */
    add(chunk: Buffer): boolean {
      const room = maxBytes - size;
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      size += Math.min(chunk.length, room);
      full ||= chunk.length > room;
      return !full;
    },
    isFull: () => full,
    // Read as a part of more to come: a letter that was cut in two is left out.
    text: () => new TextDecoder().decode(Buffer.concat(chunks), { stream: true }),
  };
}

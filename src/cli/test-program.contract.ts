/** Runs the command line inside a test: what was said and the code it ended with. */
import { PassThrough } from 'node:stream';
import type { CommandPorts } from './command.ts';
import { runProgram } from './program.ts';

/** What came of a command line. */
export interface RanProgram {
  readonly code: number;
  /** What stands on stdout. */
  readonly out: string;
  /** What stands on stderr. */
  readonly complaints: string;
}

/** Runs it; ports given take the place of those of somebody who is nowhere and says nothing. */
export async function runTestProgram(
  words: readonly string[],
  given: Partial<CommandPorts> & Pick<CommandPorts, 'cwd'>,
): Promise<RanProgram> {
  const out: string[] = [];
  const complaints: string[] = [];
  const print = (line: string) => void out.push(line);
  const ports: CommandPorts = {
    // Files of clients are looked for there, and not on the machine that tests.
    env: { HOME: given.cwd, USERPROFILE: given.cwd },
    print,
    streams: { input: new PassThrough(), output: new PassThrough() },
    program: [process.execPath, '/opt/thimble/dist/main.js'],
    terminal: undefined,
    stopped: new Promise<string>(() => {}),
    ...given,
  };
  const code = await runProgram(words, ports, {
    print,
    complain: (line) => void complaints.push(line),
  });
  return { code, out: out.join('\n'), complaints: complaints.join('\n') };
}

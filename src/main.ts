#!/usr/bin/env node
/** The program: hands argv, streams and signals to the command line, and its answer to the shell. */
import { realpathSync } from 'node:fs';
import { EXIT_CODES } from './cli/exit-codes.ts';
import { openTerminal } from './cli/output/terminal.ts';
import { runProgram } from './cli/program.ts';

const stopped = new Promise<string>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      resolve(signal);
      // A second one means now: whatever still winds down is left to the operating system.
      process.once(signal, () => process.exit(EXIT_CODES.stopped.code));
    });
  }
});

const print = (line: string) => void process.stdout.write(`${line}\n`);
const complain = (line: string) => void process.stderr.write(`${line}\n`);

const code = await runProgram(
  process.argv.slice(2),
  {
    cwd: process.cwd(),
    env: process.env,
    print,
    stopped,
    terminal: openTerminal(process.env),
    streams: { input: process.stdin, output: process.stdout },
    program: [process.execPath, realpathSync(process.argv[1] ?? '')],
  },
  { print, complain },
);
process.exit(code);

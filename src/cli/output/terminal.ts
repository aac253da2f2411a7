/** The person at the keyboard: questions go to stderr, so that what a command prints can still be piped. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Terminal } from '../command.ts';

/** Opens it; undefined when nobody is there: no terminal, or a machine that runs tests. */
export function openTerminal(env: Readonly<Record<string, string | undefined>>): Terminal | undefined {
  const isThere = process.stdin.isTTY === true && process.stderr.isTTY === true;
  if (!isThere || env['CI'] || env['THIMBLE_NON_INTERACTIVE']) return undefined;
  return { ask: (question, { hidden = false } = {}) => ask(question, hidden) };
}

function ask(question: string, hidden: boolean): Promise<string> {
  // Readline shows what is typed by writing it: somewhere else when it must not be seen.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = hidden ? nowhere : process.stderr;
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  if (hidden) process.stderr.write(question);
  return new Promise((resolve) => {
    const end = (answer: string) => {
      // First of all: closing tells at once that there is no answer.
      resolve(answer);
      lines.close();
      if (hidden) process.stderr.write('\n');
    };
    lines.once('SIGINT', () => end('')).once('close', () => resolve(''));
    lines.question(hidden ? '' : question, end);
  });
}

/** The contract of a command: its words, options and examples are data, so help and docs come from one place. */

import type { Readable, Writable } from 'node:stream';

/** One option of a command. */
export interface CommandOption {
  /** As commander takes it, such as `--port <number>`. */
  readonly flags: string;
  readonly summary: string;
}

/** What a command may use of the outside. */
export interface CommandPorts {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Prints a line for the person; never used by commands that speak the protocol on stdout. */
  print(line: string): void;
  /** The client's end, for commands that speak the protocol. */
  readonly streams: { readonly input: Readable; readonly output: Writable };
  /** How this program was started, so that it can say how to start it again. */
  readonly program: readonly string[];
  /** Resolves with the name of the first signal that asks the program to stop. */
  readonly stopped: Promise<string>;
}

/** What the person typed. */
export interface CommandInput {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

/** One verb of the command line. */
export interface Command {
  readonly name: string;
  /** Its positional words, such as `<upstream>`. */
  readonly words: readonly string[];
  readonly summary: string;
  readonly options: readonly CommandOption[];
  readonly examples: readonly string[];
  /** Runs to the end; the number is the exit code. */
  run(input: CommandInput, ports: CommandPorts): Promise<number>;
}

/** The text of an option, or undefined. */
export function textOption(input: CommandInput, name: string): string | undefined {
  const value = input.options[name];
  return typeof value === 'string' ? value : undefined;
}

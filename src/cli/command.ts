/** The contract of a command: its words, options and examples are data, so help and docs come from one place. */

import type { Readable, Writable } from 'node:stream';

/** One option of a command. */
export interface CommandOption {
  /** As commander takes it, such as `--port <number>`. */
  readonly flags: string;
  readonly summary: string;
  /** True when it may be given more than once; its value is then a list. */
  readonly many?: boolean;
}

/** Somebody who can be asked. */
export interface Terminal {
  /** Asks for a line; what is typed is not shown when it is hidden. Empty when they give up. */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string>;
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
  /** The person at the keyboard, or undefined when nobody is there to answer. */
  readonly terminal: Terminal | undefined;
  /** Resolves with the name of the first signal that asks the program to stop. */
  readonly stopped: Promise<string>;
}

/** What the person typed. */
export interface CommandInput {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  /** What stands after `--`. */
  readonly rest?: readonly string[];
}

/** One verb of the command line. */
export interface Command {
  readonly name: string;
  /** Its positional words, such as `<server>`, `[name]` or `[names...]`. */
  readonly words: readonly string[];
  readonly summary: string;
  readonly options: readonly CommandOption[];
  readonly examples: readonly string[];
  /** True when what stands after `--` is handed to it as it is. */
  readonly takesRest?: boolean;
  /** Not shown in help: for programs, not for people. */
  readonly hidden?: true;
  /** Runs to the end; the number is the exit code. */
  run(input: CommandInput, ports: CommandPorts): Promise<number>;
}

/** The text of an option, or undefined. */
export function textOption(input: CommandInput, name: string): string | undefined {
  const value = input.options[name];
  return typeof value === 'string' ? value : undefined;
}

/** Understood by every command that prints an answer. */
export const JSON_OPTION: CommandOption = { flags: '--json', summary: 'as JSON' };

/** Prints an answer: as JSON for programs that asked for it, else as text for people. */
export function printAnswer(
  { options }: CommandInput,
  { print }: Pick<CommandPorts, 'print'>,
  value: unknown,
  toText: () => string,
): void {
  print(options['json'] === true ? JSON.stringify(value, null, 2) : toText());
}

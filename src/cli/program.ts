/** Turns the words a person typed into a command and runs it; help comes from the registry. */
import { CommanderError, Command as Words } from 'commander';
import { fromUnknown } from '../errors/from-unknown.ts';
import { didYouMean } from '../lib/nearest.ts';
import { VERSION } from '../model/version.ts';
import type { Command, CommandPorts } from './command.ts';
import { COMMANDS } from './commands/registry.ts';

/** What a program writes to. */
export interface ProgramOutput {
  print(line: string): void;
  /** Prints what went wrong. */
  complain(line: string): void;
}

/** Runs one command line; the number is the exit code. */
export async function runProgram(
  words: readonly string[],
  ports: CommandPorts,
  output: ProgramOutput,
): Promise<number> {
  const [first] = words;
  if (first === '--version' || first === '-v') {
    output.print(VERSION);
    return 0;
  }
  if (first === undefined || first === '--help' || first === '-h' || first === 'help')
    return showHelp(words, output);
  const load = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  if (!load) {
    output.complain(`thimble: ${explainNoCommand(first)}; see thimble --help`);
    return 2;
  }
  return runCommand(await load(), words.slice(1), ports, output);
}

function explainNoCommand(word: string): string {
  if (word.startsWith('-')) return `options come after a command, such as thimble serve ${word}`;
  return `there is no command "${word}"${didYouMean(word, Object.keys(COMMANDS))}`;
}

async function runCommand(
  command: Command,
  words: readonly string[],
  ports: CommandPorts,
  output: ProgramOutput,
): Promise<number> {
  let code = 0;
  const parser = toParser(command, output).action(async (...parsed: unknown[]) => {
    const args = parsed.slice(0, command.words.length).map(String);
    const options = parser.opts<Record<string, string | boolean | undefined>>();
    refuseEmpty(parser);
    code = await command.run({ args, options }, ports);
  });
  try {
    await parser.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      output.complain(`thimble: ${toComplaint(error, command)}; see thimble ${command.name} --help`);
      return 2;
    }
    const known = fromUnknown(error);
    output.complain(`thimble: ${known.message}`);
    if (known.cause instanceof Error && known.code === 'INTERNAL') output.complain(known.cause.stack ?? '');
    return 1;
  }
}

/** `--port=` is a slip, mostly of a variable that is not set, and never what a command should guess about. */
function refuseEmpty(parser: Words): void {
  const empty = parser.options.find((option) => parser.getOptionValue(option.attributeName()) === '');
  if (empty)
    throw new CommanderError(2, 'commander.optionMissingArgument', `option '${empty.flags}' is empty`);
}

/** What commander found wrong, in our words. */
function toComplaint(error: CommanderError, command: Command): string {
  // Commander names the word it stumbled over nowhere but in its message, in quotes.
  const word = /'([^']*)'/.exec(error.message)?.[1] ?? '';
  switch (error.code) {
    case 'commander.unknownOption':
      return `there is no option "${word}"${didYouMean(word, toFlags(command))}`;
    case 'commander.optionMissingArgument':
      return `${word} needs a value`;
    case 'commander.missingArgument':
      return `<${word}> is missing: ${toUsage(command)}`;
    case 'commander.excessArguments':
      return `there are more words than ${toUsage(command)} takes`;
    default:
      return error.message.replace(/^error: /, '');
  }
}

function toFlags(command: Command): string[] {
  return ['--help', ...command.options.map(({ flags }) => flags.split(' ', 1)[0] ?? flags)];
}

function toParser(command: Command, output: ProgramOutput): Words {
  const parser = new Words(`thimble ${command.name}`)
    .description(command.summary)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.print(text.trimEnd()),
      // Errors are told by whoever runs the command.
      outputError() {},
    })
    .showSuggestionAfterError(false);
  for (const word of command.words) parser.argument(word);
  for (const option of command.options) parser.option(option.flags, option.summary);
  return parser.addHelpText(
    'after',
    `\nExamples:\n${command.examples.map((example) => `  ${example}`).join('\n')}`,
  );
}

async function showHelp(words: readonly string[], output: ProgramOutput): Promise<number> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const asked = commands.find((command) => command.name === words[1]);
  if (asked) {
    output.print(toParser(asked, output).helpInformation());
    return 0;
  }
  const width = Math.max(...commands.map((command) => toUsage(command).length));
  output.print(
    [
      `Thimble ${VERSION}: every MCP tool you have, in a thimble of context`,
      '',
      'Commands:',
      ...commands.map((command) => `  ${toUsage(command).padEnd(width)}  ${command.summary}`),
      '',
      'Examples:',
      ...commands.map((command) => `  ${command.examples[0] ?? ''}`),
      '',
      'thimble <command> --help says more about one.',
    ].join('\n'),
  );
  return 0;
}

function toUsage(command: Command): string {
  return ['thimble', command.name, ...command.words].join(' ');
}

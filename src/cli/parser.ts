/** Reads the words of one command, and writes its help; commander does the reading, the words are ours. */
import { CommanderError, Command as Words } from 'commander';
import { didYouMean } from '../lib/nearest.ts';
import type { Command, CommandInput } from './command.ts';

/** Something a person typed that a command does not take, or a call for help that was answered. */
export class WordsError extends Error {
  /** True when help was asked for and given: nothing is wrong. */
  readonly answered: boolean;

  constructor(message: string, answered = false) {
    super(message);
    this.answered = answered;
  }
}

/** Reads the words; throws a WordsError for what the command does not take. */
export function parseWords(
  command: Command,
  words: readonly string[],
  print: (text: string) => void,
): CommandInput {
  const dashes = command.takesRest ? words.indexOf('--') : -1;
  const own = dashes === -1 ? words : words.slice(0, dashes);
  const rest = dashes === -1 ? [] : words.slice(dashes + 1);
  let parsed: readonly unknown[] = [];
  const parser = toParser(command, print).action((...given: unknown[]) => {
    parsed = given.slice(0, command.words.length);
  });
  try {
    parser.parse(own, { from: 'user' });
    refuseEmpty(parser);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) throw new WordsError('', true);
    throw new WordsError(`${toComplaint(error, command)}; see thimble ${command.name} --help`);
  }
  const args = parsed
    .flat()
    .filter((word) => word !== undefined)
    .map(String);
  return { args, options: parser.opts(), rest };
}

/** The help of one command. */
export function toHelp(command: Command): string {
  return toParser(command, () => {})
    .helpInformation()
    .trimEnd();
}

/** How a command is written. */
export function toUsage(command: Command): string {
  return ['thimble', command.name, ...command.words].join(' ');
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

function toParser(command: Command, print: (text: string) => void): Words {
  const parser = new Words(`thimble ${command.name}`)
    .description(command.summary)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => print(text.trimEnd()),
      // Errors are told by whoever runs the command.
      outputError() {},
    })
    .showSuggestionAfterError(false);
  for (const word of command.words) parser.argument(word);
  for (const { flags, summary, many } of command.options) {
    if (many)
      parser.option(flags, summary, (value: string, before: readonly string[] = []) => [...before, value]);
    else parser.option(flags, summary);
  }
  return parser.addHelpText(
    'after',
    `\nExamples:\n${command.examples.map((example) => `  ${example}`).join('\n')}`,
  );
}

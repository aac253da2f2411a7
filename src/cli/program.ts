/** Turns the words a person typed into a command and runs it; help comes from the registries. */
import { fromUnknown } from '../errors/from-unknown.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { VERSION } from '../model/version.ts';
import type { Command, CommandPorts } from './command.ts';
import { EXIT_CODES, toExitCode } from './exit-codes.ts';
import { type Found, findCommand } from './find-command.ts';
import { parseWords, toHelp, WordsError } from './parser.ts';

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
    return EXIT_CODES.ok.code;
  }
  if (first === undefined || first === '--help' || first === '-h' || first === 'help')
    return showHelp(words.slice(1), output);
  try {
    const found = await findCommand(words);
    if ('command' in found) return await runCommand(found.command, found.words, ports, output);
    output.print(await toFoundHelp(found));
    return EXIT_CODES.ok.code;
  } catch (error) {
    return tellFailure(error, words.includes('--json'), output);
  }
}

async function runCommand(
  command: Command,
  words: readonly string[],
  ports: CommandPorts,
  output: ProgramOutput,
): Promise<number> {
  try {
    return await command.run(parseWords(command, words, output.print), ports);
  } catch (error) {
    if (error instanceof WordsError) {
      if (error.answered) return EXIT_CODES.ok.code;
      return tellFailure(new GatewayError('INVALID_PARAMS', error.message), words.includes('--json'), output);
    }
    return tellFailure(error, words.includes('--json'), output);
  }
}

function tellFailure(error: unknown, asJson: boolean, output: ProgramOutput): number {
  const known = fromUnknown(error);
  if (asJson && known instanceof GatewayError) {
    const { code, message, data } = known;
    output.print(JSON.stringify({ error: { code, message, ...data } }, null, 2));
  } else output.complain(`thimble: ${known.message}`);
  if (known.cause instanceof Error && known.code === 'INTERNAL') output.complain(known.cause.stack ?? '');
  return toExitCode(known);
}

async function showHelp(words: readonly string[], output: ProgramOutput): Promise<number> {
  const found = words.length === 0 ? undefined : await findCommand(words).catch(() => undefined);
  output.print(await toFoundHelp(found));
  return EXIT_CODES.ok.code;
}

async function toFoundHelp(found: Found | undefined): Promise<string> {
  if (found && 'command' in found) return toHelp(found.command);
  const { toNounHelp, toOverview } = await import('./help.ts');
  return found ? toNounHelp(found.noun, found.operations) : toOverview();
}

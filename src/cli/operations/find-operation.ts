/** Which operation the first words of a line mean: a noun with its verb, or a short form. */
import { GatewayError } from '../../errors/gateway-error.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { loadOperations, NOUNS, type Noun } from '../../operations/nouns/registry.ts';
import { COMMANDS } from '../commands/registry.ts';
import type { Found } from '../find-command.ts';
import { toOperationCommand } from './operation-command.ts';

/** Verbs as people type them who know other programs. */
const VERB_ALIASES: Readonly<Record<string, string>> = {
  ls: 'list',
  rm: 'delete',
  add: 'create',
  new: 'create',
};

/** What is meant when a noun is followed by a name instead of a verb. */
const DEFAULT_VERBS: Readonly<Record<string, string>> = { share: 'start' };

/** Finds it; an unknown word throws INVALID_PARAMS with the nearest of all commands. */
export async function findOperation(words: readonly string[]): Promise<Found> {
  const [first = '', ...rest] = words;
  const noun = NOUNS.find(({ name }) => name === first || name === first.replaceAll('-', '_'));
  if (noun) return findVerb(noun, rest);
  const operation = (await loadOperations()).find(({ short }) => short === first);
  if (operation) return { command: toOperationCommand(operation, first), words: rest };
  throw new GatewayError('INVALID_PARAMS', await explainUnknown(first));
}

async function findVerb(noun: Noun, words: readonly string[]): Promise<Found> {
  const operations = await noun.load();
  const [verb = '', ...rest] = words;
  const find = (name: string | undefined) => operations.find((operation) => operation.verb === name);
  const alias = Object.hasOwn(VERB_ALIASES, verb) ? VERB_ALIASES[verb] : undefined;
  const named = find(verb) ?? find(alias);
  if (named) return { command: toOperationCommand(named), words: rest };
  const only = noun.single ? operations[0] : undefined;
  if (only) return { command: toOperationCommand(only, noun.name), words };
  if (verb === '' || verb === 'help' || verb.startsWith('-')) return { noun, operations };
  const meant = find(DEFAULT_VERBS[noun.name]);
  if (meant) return { command: toOperationCommand(meant, noun.name), words };
  const verbs = operations.map((operation) => operation.verb);
  throw new GatewayError(
    'INVALID_PARAMS',
    `thimble ${noun.name} has no "${verb.slice(0, 100)}"${didYouMean(verb, verbs)}; there are ${verbs.join(', ')}`,
  );
}

async function explainUnknown(word: string): Promise<string> {
  if (word.startsWith('-')) return `options come after a command, such as thimble serve ${word}`;
  return `there is no command "${word.slice(0, 100)}"${didYouMean(word, await toFirstWords())}; see thimble --help`;
}

/** Every first word of a line that means something. */
export async function toFirstWords(): Promise<readonly string[]> {
  const operations = await loadOperations();
  const shorts = operations.flatMap(({ short }) => (short === undefined ? [] : [short]));
  return [...Object.keys(COMMANDS), ...NOUNS.map(({ name }) => name), ...shorts];
}

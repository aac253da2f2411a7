/** Which command the first words of a line mean. */

import type { Noun } from '../operations/nouns/registry.ts';
import type { Operation } from '../operations/operation.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands/registry.ts';

/** What a line means: a command with the words left for it, or a noun somebody wants to know about. */
export type Found =
  | { readonly command: Command; readonly words: readonly string[] }
  | { readonly noun: Noun; readonly operations: readonly Operation[] };

/** Finds it; what manages things is loaded only when none of the list is meant, since clients wait for `stdio` to start. */
export async function findCommand(words: readonly string[]): Promise<Found> {
  const [first = '', ...rest] = words;
  const load = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  if (load) return { command: await load(), words: rest };
  const { findOperation } = await import('./operations/find-operation.ts');
  return findOperation(words);
}

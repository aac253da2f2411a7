/** What `thimble --help` and `thimble <noun> --help` show, made from the registries. */
import { VERSION } from '../model/version.ts';
import { loadOperations, NOUNS, type Noun } from '../operations/nouns/registry.ts';
import type { Operation } from '../operations/operation.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands/registry.ts';
import { toOperationCommand } from './operations/operation-command.ts';
import { toUsage } from './parser.ts';

/** The page that shows everything there is. */
export async function toOverview(): Promise<string> {
  const commands = await loadCommands();
  const shown = commands.filter(({ hidden }) => !hidden);
  const shorts = (await loadOperations()).flatMap((operation) =>
    operation.short === undefined ? [] : [toOperationCommand(operation, operation.short)],
  );
  const nouns = await Promise.all(
    NOUNS.map(async ({ name, summary, single, load }) => {
      const verbs = (await load()).map(({ verb }) => verb);
      return [`thimble ${name}`, single ? summary : `${summary} ${verbs.join(', ')}`] as const;
    }),
  );
  const rows = (list: readonly Command[]) =>
    list.map((command) => [toUsage(command), command.summary] as const);
  return [
    `Thimble ${VERSION}: every MCP tool you have, in a thimble of context`,
    '',
    'Commands:',
    ...toRows(rows(shown)),
    '',
    'To manage what you have:',
    ...toRows(nouns),
    '',
    'The same in one word:',
    ...toRows(rows(shorts)),
    '',
    'Examples:',
    '  thimble init',
    '  thimble serve',
    '  thimble install github',
    '',
    'thimble <command> --help says more about one.',
  ].join('\n');
}

/** The page of one noun. */
export function toNounHelp({ name, summary }: Noun, operations: readonly Operation[]): string {
  const commands = operations.map((operation) => toOperationCommand(operation));
  return [
    `thimble ${name}: ${summary}`,
    '',
    ...toRows(commands.map((command) => [toUsage(command), command.summary] as const)),
    '',
    'Examples:',
    ...commands.slice(0, 4).map(({ examples }) => `  ${examples[0] ?? ''}`),
    '',
    `thimble ${name} <verb> --help says more about one.`,
  ].join('\n');
}

function loadCommands(): Promise<Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}

const MAX_WIDTH = 44;

function toRows(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.min(MAX_WIDTH, Math.max(...rows.map(([usage]) => usage.length)));
  return rows.map(([usage, summary]) => `  ${usage.padEnd(width)}  ${summary}`);
}

/** Turns the registry of operations into the pages about them. */
import { toJsonSchema } from '../../src/builtin/json-schema.ts';
import { toOperationCommand } from '../../src/cli/operations/operation-command.ts';
import { isJsonObject } from '../../src/model/json.ts';
import { NOUNS } from '../../src/operations/nouns/registry.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { GENERATED } from './reference.ts';

const EFFECTS = {
  reads: 'looks, changes nothing',
  writes: "changes what is Thimble's own",
  acts: 'a person has to agree',
} as const;

/** The page of operations. */
export function toOperationsPage(operations: readonly Operation[]): string {
  const parts = NOUNS.flatMap((noun) => [
    `## ${noun.name}`,
    noun.summary,
    ...operations.filter((operation) => operation.noun === noun.name).flatMap(toSection),
  ]);
  return [
    '# Operations',
    GENERATED,
    'Each is one definition with three faces: a command, a request to the admin API (`POST`, a JSON object, `Authorization: Bearer` with the text of the file `admin-token` in the data directory), and an action of a tool of the server `manage`.',
    ...parts,
    '',
  ].join('\n\n');
}

function toSection(operation: Operation): string[] {
  const { noun, verb, summary, effects, examples, short } = operation;
  const command = toOperationCommand(operation);
  const single = NOUNS.find(({ name }) => name === noun)?.single;
  const call = JSON.stringify({ ...(single ? {} : { action: verb }), ...examples[0] });
  return [
    `### ${noun} ${verb}`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)} (${EFFECTS[effects]}).`,
    toInputTable(operation),
    [
      '```sh',
      ...command.examples,
      '```',
      '',
      `Admin API: \`POST /api/${noun}/${verb}\`. Tool: \`thimble_${noun}\` with \`${call}\`.${
        short === undefined ? '' : ` In one word: \`thimble ${short}\`.`
      }`,
    ].join('\n'),
  ].filter((part) => part !== '');
}

function toInputTable({ input }: Operation): string {
  const { properties, required } = toJsonSchema(input, 'input');
  const rows = Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) => {
    const { type, enum: values, description } = isJsonObject(schema) ? schema : {};
    const kind = Array.isArray(values)
      ? values.map((value) => `\`${String(value)}\``).join(', ')
      : String(type);
    const needed = Array.isArray(required) && required.includes(name) ? 'yes' : '';
    return `| \`${name}\` | ${kind} | ${needed} | ${String(description ?? '')} |`;
  });
  return rows.length === 0
    ? ''
    : ['| input | type | needed | what it is |', '|---|---|---|---|', ...rows].join('\n');
}

/** The page for people who knew the 24 tools. */
export function toMigrationPage(formerNames: ReadonlyMap<string, string>): string {
  const rows = [...formerNames].map(([former, now]) => {
    const [tool = '', action = ''] = now.split(' action=');
    return `| \`${former}\` | \`${tool}\` | ${action.replaceAll('|', ', ')} |`;
  });
  return [
    '# Management tools: old names and new',
    GENERATED,
    'There were 24 management tools. Now there are eight: each noun is a tool, each verb an action of it. A call by an old name is refused with an error that gives the new one. `thimble` is the namespace; yours may be another (`namespace` in the configuration).',
    ['| was | is | action |', '|---|---|---|', ...rows].join('\n'),
    'What each action takes: [operations](reference/operations.md). To bring over the servers and profiles of MCPM: `thimble migrate`.',
    '',
  ].join('\n\n');
}

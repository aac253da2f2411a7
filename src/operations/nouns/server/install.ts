/** `server install`: from the registry, a package or an address to a server that was seen to work. */
import { rm } from 'node:fs/promises';
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { House } from '../../house.ts';
import { defineOperation, type Plan } from '../../operation.ts';
import { toLine } from '../../shown/command-line.ts';
import { describeEntry } from '../../shown/describe-entry.ts';
import { toName } from '../../shown/quote.ts';
import { type BuiltEntry, buildEntry, toMissingError } from './build-entry.ts';
import { chooseInstallation, type InstallChoice } from './choose.ts';
import { download, toProgramPath } from './download.ts';
import { ALIAS, ANY_NAME, ENV, FORCE } from './inputs.ts';
import { type Kept, keepEntry } from './keep-entry.ts';
import { mergeEntries } from './merge-entries.ts';
import { saySeen } from './said.ts';

const INPUT = z.object({
  name: ANY_NAME,
  from: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .describe(
      'npm:<package>, pypi:, oci:, nuget:, https://…, or npm|pypi|oci|nuget|binary|remote of the registry',
    ),
  version: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9.+_-]{0,99}$/, { error: 'has to be an exact version, such as 1.2.3' })
    .optional()
    .describe('an exact version; the latest unless told'),
  env: ENV,
  alias: ALIAS,
  force: FORCE,
});

/** Installs a server. */
export const install = defineOperation({
  noun: 'server',
  verb: 'install',
  summary: 'install a server from the registry or a package',
  input: INPUT,
  output: z.object({
    name: z.string(),
    status: z.enum(['installed', 'upgraded', 'present']),
    version: z.string().optional(),
    from: z.string(),
    file: z.string().optional(),
    tools: z.array(z.string()).optional(),
    needsLogin: z.boolean().optional(),
    note: z.string().optional(),
  }),
  effects: 'acts',
  openWorld: true,
  words: ['name'],
  short: 'install',
  formerly: ['install_server'],
  examples: [
    { name: 'io.github.example/weather', env: { WEATHER_KEY: 'abc' } },
    { name: 'files', from: 'npm:@modelcontextprotocol/server-filesystem' },
  ],
  async plan(input, house) {
    const choice = await chooseInstallation(input, house);
    checkValues(choice, input.env);
    if (choice.isPresent) return undefined;
    const built = build(choice, input.env ?? {}, house);
    return toPlan(choice, built, house);
  },
  async run(input, house) {
    const choice = await chooseInstallation(input, house);
    checkValues(choice, input.env);
    const { name, recipe } = choice;
    const common = { name, from: choice.from, ...(choice.note && { note: choice.note }) };
    const version = recipe.version === undefined ? {} : { version: recipe.version };
    if (choice.isPresent) return { ...common, ...version, status: 'present' as const };
    const built = build(choice, input.env ?? {}, house);
    const kept = await keep(choice, built, house);
    const notes = [
      ...(choice.note ? [choice.note] : []),
      ...built.repeatable.map((key) => toRepeatable(key, name)),
    ];
    return {
      ...common,
      ...(notes.length > 0 && { note: notes.join('; ') }),
      ...version,
      status: choice.before ? ('upgraded' as const) : ('installed' as const),
      file: kept.path,
      ...(kept.tools && { tools: [...kept.tools] }),
      ...(kept.needsLogin && { needsLogin: true }),
    };
  },
  toText({ name, status, version, from, file, tools, needsLogin, note }) {
    const what = `${name}${version ? ` ${version}` : ''}`;
    if (status === 'present') return `${what} is installed already, from ${from}; --force installs it again.`;
    const said = [
      `${what} is ${status}, from ${from}.`,
      saySeen({ name, tools, needsLogin }),
      file && `Written to ${file}.`,
      note && `Note: ${note}.`,
    ];
    return said.filter(Boolean).join('\n');
  },
});

/** Values for what is there already would be dropped in silence. */
function checkValues({ name, isPresent, recipe }: InstallChoice, env: Record<string, string> = {}): void {
  const given = Object.keys(env);
  if (!isPresent || given.length === 0) return;
  const option = recipe.kind === 'remote' ? '--headers' : '--env';
  const values = given.map((key) => `${option} ${key}=…`).join(' ');
  throw new GatewayError(
    'NAME_TAKEN',
    `${name} is installed already; to change its values: thimble edit ${name} ${values}`,
  );
}

function build(choice: InstallChoice, given: Readonly<Record<string, string>>, house: House): BuiltEntry {
  const { name, recipe, before } = choice;
  const program = recipe.sha256 === undefined ? '' : toProgramPath({ name, sha256: recipe.sha256 }, house);
  const built = buildEntry(recipe, { values: given, known: choice.knownValues, program });
  if (built.missing.length > 0) throw toMissingError(name, built.missing);
  return before ? { ...built, entry: mergeEntries(before, built.entry) } : built;
}

function toRepeatable(key: string, name: string): string {
  return `${toName(key)} may be given more than once; add others with thimble server edit ${name} --args`;
}

async function toPlan(choice: InstallChoice, built: BuiltEntry, house: House): Promise<Plan> {
  const { name, recipe, before, from, note, others } = choice;
  const { path } = await house.config.preview([{ path: ['mcpServers', name], value: built.entry }]);
  const details = [
    `comes from: ${from}`,
    choice.description !== undefined && `says of itself: ${toLine(choice.description)}`,
    recipe.sha256 !== undefined && `downloads: ${toLine(recipe.target, 500)} (sha256 ${recipe.sha256})`,
    ...describeEntry(built.entry, { known: built.secretValues, open: built.openValues }),
    `writes: mcpServers.${name} in ${path}`,
    recipe.kind === 'remote' ? 'then dials it once to see its tools' : 'then starts it once to see its tools',
    others.length > 0 && `could also come from: ${others.join(', ')} (--from)`,
    ...built.repeatable.map((key) => toRepeatable(key, name)),
    note && `note: ${note}`,
  ];
  return {
    summary: `${before ? 'upgrade' : 'install'} the server ${name}`,
    details: details.filter((line) => typeof line === 'string'),
  };
}

async function keep(choice: InstallChoice, built: BuiltEntry, house: House): Promise<Kept> {
  const { name, recipe, before } = choice;
  const { sha256, target: url } = recipe;
  const program = sha256 === undefined ? undefined : await download({ name, url, sha256 }, house);
  try {
    const wayOut = 'mend what it names and install it again';
    const replaces = before && { name, entry: before };
    return await keepEntry({ name, ...built, replaces, verify: true, done: choice.done, wayOut }, house);
  } catch (error) {
    // The same file may be the one that is installed already.
    const isNew = program !== undefined && before?.['command'] !== program;
    if (isNew) await rm(program, { force: true });
    if (error instanceof GatewayError && error.code === 'CONFIG_INVALID')
      throw new GatewayError('INSTALL_FAILED', `${name} was not ${choice.done}: ${error.message}`, {
        cause: error,
      });
    throw error;
  }
}

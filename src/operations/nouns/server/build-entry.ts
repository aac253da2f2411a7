/** From a way to run a server and the values it needs to the entry of the configuration. */
import { hasReference } from '../../../config/references.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { didYouMean } from '../../../lib/nearest.ts';
import type { JsonObject } from '../../../model/json.ts';
import { looksSecret } from '../../secrets/secret-values.ts';
import { toLine } from '../../shown/command-line.ts';
import { type Recipe, RUNNERS } from './recipe.ts';
import type { RegistryArgument, RegistryInput } from './registry/server-json.ts';

/** A value that nobody gave yet. */
export interface MissingVariable {
  readonly name: string;
  readonly description: string;
  readonly secret: boolean;
}

/** An entry, and what is still to be known of it. */
export interface BuiltEntry {
  readonly entry: JsonObject;
  readonly missing: readonly MissingVariable[];
  /** Values that are secret because the registry says so. */
  readonly secretValues: readonly string[];
  /** Values that the registry wrote itself, so that everybody knows them. */
  readonly openValues: readonly string[];
  /** Arguments that may be given several times; one value of each is taken. */
  readonly repeatable: readonly string[];
}

/** What is collected while an entry is built. */
interface Building {
  readonly values: Readonly<Record<string, string>>;
  /** What it was given before; counts where nothing new is given. */
  readonly known: Readonly<Record<string, string>>;
  readonly missing: MissingVariable[];
  readonly secretValues: Set<string>;
  readonly openValues: Set<string>;
  readonly used: Set<string>;
  readonly faults: string[];
}

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
/** What we give the runners ourselves. */
const OWN_ARGUMENTS: ReadonlySet<string> = new Set(['run', '-i', '--rm', '-y', '--yes', '--interactive']);

/** What an entry is built from, beside the way to run it. */
export interface EntryValues {
  readonly values: Readonly<Record<string, string>>;
  /** What an entry it takes the place of was given. */
  readonly known?: Readonly<Record<string, string>>;
  /** Where a downloaded program lies. */
  readonly program?: string;
}

/** Builds the entry; wrong values throw INVALID_PARAMS, missing ones are told. */
export function buildEntry(recipe: Recipe, { values, known = {}, program = '' }: EntryValues): BuiltEntry {
  const [secretValues, openValues, used] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const building: Building = { values, known, missing: [], secretValues, openValues, used, faults: [] };
  const isRemote = recipe.kind === 'remote';
  const repeatable = recipe.packageArguments.filter(({ isRepeated }) => isRepeated).map(toKey);
  const entry = isRemote ? buildRemote(recipe, building) : buildProgram(recipe, building, program);
  if (building.faults.length > 0)
    throw new GatewayError('INVALID_PARAMS', `server install was not run. ${building.faults.join('; ')}`);
  const missing = [...new Map(building.missing.map((one) => [one.name, one])).values()];
  return { entry, missing, secretValues: [...secretValues], openValues: [...openValues], repeatable };
}

/** The error that names what is missing and how each is given. */
export function toMissingError(name: string, missing: readonly MissingVariable[]): GatewayError {
  const each = missing.map(({ name: variable, description, secret }) => {
    const said = description === '' ? '' : ` (${toLine(description, 120)})`;
    return `--env ${variable}=<${secret ? 'secret' : 'value'}>${said}`;
  });
  const [first] = missing;
  const hint = first ? `; a value may be a reference such as \${env:${first.name}}` : '';
  return new GatewayError('INVALID_PARAMS', `${name} needs ${each.slice(0, 8).join(', ')}${hint}`, {
    data: { missing: missing.map((one) => ({ ...one, description: toLine(one.description, 500) })) },
  });
}

function buildProgram(recipe: Recipe, building: Building, program: string): JsonObject {
  const env: Record<string, string> = {};
  for (const variable of recipe.variables) {
    const value = resolve(variable.name, variable, building);
    if (value !== undefined) env[variable.name] = value;
  }
  const runtime = recipe.runtimeArguments.flatMap((argument) => toArguments(argument, building));
  const args = recipe.packageArguments.flatMap((argument) => toArguments(argument, building));
  Object.assign(env, toFurther(building));
  const command = { ...toCommand(recipe, { runtime, args, names: Object.keys(env) }, program) };
  const { version } = recipe;
  return {
    ...command,
    ...(Object.keys(env).length > 0 && { env }),
    ...(version !== undefined && { version }),
  };
}

interface CommandParts {
  readonly runtime: readonly string[];
  readonly args: readonly string[];
  readonly names: readonly string[];
}

function toCommand({ kind, target }: Recipe, parts: CommandParts, program: string): JsonObject {
  const command = RUNNERS[kind] ?? program;
  const runtime = parts.runtime.filter((argument) => !OWN_ARGUMENTS.has(argument));
  if (kind === 'npm') return { command, args: ['-y', ...runtime, target, ...parts.args] };
  if (kind === 'pypi') return { command, args: [...runtime, target, ...parts.args] };
  if (kind === 'nuget') {
    const rest = parts.args.length > 0 ? ['--', ...parts.args] : [];
    return { command, args: [target, '--yes', ...runtime, ...rest] };
  }
  if (kind === 'oci') {
    // Only the names: the values reach the container through the environment, where no list of processes shows them.
    const names = parts.names.flatMap((name) => ['-e', name]);
    return { command, args: ['run', '-i', '--rm', ...names, ...runtime, target, ...parts.args] };
  }
  return { command, args: [...parts.args] };
}

function buildRemote({ target, remote, variables }: Recipe, building: Building): JsonObject {
  const headers: Record<string, string> = {};
  for (const header of variables) {
    const value = resolve(header.name, header, building);
    if (value !== undefined) headers[header.name] = value;
  }
  const url = substitute(target, remote?.variables ?? {}, building) ?? target;
  const known = [...variables.map(({ name }) => name), ...Object.keys(remote?.variables ?? {})];
  for (const name of unusedOf(building))
    building.faults.push(
      `env.${name.slice(0, 60)}: this server takes no such value${didYouMean(name, known)}; headers of your own are given with server create --url`,
    );
  const type = remote?.type === 'sse' ? 'sse' : 'http';
  return { type, url, ...(Object.keys(headers).length > 0 && { headers }) };
}

/** What the person gave beyond what is asked for: variables the registry does not know of. */
function toFurther(building: Building): Readonly<Record<string, string>> {
  const further: Record<string, string> = {};
  for (const name of unusedOf(building)) {
    if (VARIABLE_NAME.test(name)) further[name] = building.values[name] ?? '';
    else building.faults.push(`env.${name.slice(0, 60)}: is no name of a variable`);
  }
  return further;
}

function unusedOf({ values, used }: Building): readonly string[] {
  return Object.keys(values).filter((name) => !used.has(name));
}

function toArguments(argument: RegistryArgument, building: Building): readonly string[] {
  const name = argument.name ?? '';
  const value = resolve(toKey(argument), argument, building, name);
  if (argument.type === 'positional') return value === undefined ? [] : [value];
  if (value === undefined || name === '') return [];
  if (argument.format === 'boolean') return value === 'true' ? [name] : [];
  if (value === '') return [name];
  return name.endsWith('=') ? [`${name}${value}`] : [name, value];
}

/** What an argument is called where a value for it is given. */
function toKey({ type, name = '', valueHint = 'argument' }: RegistryArgument): string {
  return type === 'named' ? name.replace(/^-+/, '') : valueHint;
}

/** The value of one input: fixed, given, or by default; undefined when there is none. */
function resolve(
  key: string,
  input: RegistryInput & { readonly variables?: Readonly<Record<string, RegistryInput>> | undefined },
  building: Building,
  alias = key,
): string | undefined {
  if (input.value !== undefined) {
    const fixed = substitute(input.value, input.variables ?? {}, building);
    if (fixed === input.value) building.openValues.add(fixed);
    return fixed;
  }
  const { values, known, used } = building;
  const name = [key, alias].find((candidate) => Object.hasOwn(values, candidate));
  if (name !== undefined) used.add(name);
  const before = Object.hasOwn(known, key) ? known[key] : undefined;
  const given = (name === undefined ? undefined : values[name]) ?? before ?? input.default;
  if (given === undefined) {
    const secret = input.isSecret || looksSecret(key, 'x'.repeat(8));
    if (input.isRequired) building.missing.push({ name: key, description: input.description ?? '', secret });
    return undefined;
  }
  check(key, given, input, building);
  if (given === input.default) building.openValues.add(given);
  if (input.isSecret && given !== input.default && !hasReference(given)) building.secretValues.add(given);
  return given;
}

function check(key: string, value: string, { choices, format }: RegistryInput, { faults }: Building): void {
  if (hasReference(value)) return;
  if (choices && choices.length > 0 && !choices.includes(value))
    faults.push(
      `env.${key}: has to be one of ${choices.slice(0, 10).join(', ')}${didYouMean(value, choices)}`,
    );
  if (format === 'number' && !Number.isFinite(Number(value))) faults.push(`env.${key}: has to be a number`);
  if (format === 'boolean' && !/^(true|false)$/.test(value))
    faults.push(`env.${key}: has to be true or false`);
}

/** Puts values in the place of `{names}`; undefined when one has none, and braces around anything else stay as they are. */
function substitute(
  template: string,
  variables: Readonly<Record<string, RegistryInput>>,
  building: Building,
): string | undefined {
  let isWhole = true;
  const text = template.replace(/\{([A-Za-z_][\w.-]*)\}/g, (whole, name: string) => {
    const input = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (!input) return whole;
    const value = resolve(name, { ...input, variables: undefined }, building);
    isWhole &&= value !== undefined;
    return value ?? '';
  });
  return isWhole ? text : undefined;
}

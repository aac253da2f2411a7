/** Works out what an installation comes to: which server, in which way, under which name, in whose place. */
import { GatewayError } from '../../../errors/gateway-error.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import type { House } from '../../house.ts';
import { findProgram } from '../../servers/find-program.ts';
import { type Configured, matchConfigured } from '../../servers/server-entries.ts';
import { toProgramPath } from './download.ts';
import { findServer } from './find-server.ts';
import { checkNewName, toNewName } from './new-name.ts';
import { KINDS, parseFrom, type Recipe, RUNNERS, toRecipes } from './recipe.ts';
import type { RegistryServer } from './registry/server-json.ts';

/** What somebody wants installed. */
export interface Wanted {
  readonly name?: string | undefined;
  readonly from?: string | undefined;
  readonly version?: string | undefined;
  readonly alias?: string | undefined;
  readonly force: boolean;
}

/** What that comes to. */
export interface InstallChoice {
  readonly name: string;
  readonly recipe: Recipe;
  /** Where it comes from, for people. */
  readonly from: string;
  readonly description: string | undefined;
  /** The kinds that were not chosen. */
  readonly others: readonly string[];
  /** The entry it takes the place of. */
  readonly before: JsonObject | undefined;
  /** True when exactly this is installed already. */
  readonly isPresent: boolean;
  /** What the entry before was given, as references or as it is written. */
  readonly knownValues: Readonly<Record<string, string>>;
  readonly note: string | undefined;
  /** As in `was not installed`. */
  readonly done: string;
}

type Source = Pick<InstallChoice, 'recipe' | 'from' | 'description' | 'others' | 'note'> & {
  readonly called: string;
};

/** Chooses; throws NAME_UNKNOWN, NAME_TAKEN or INVALID_PARAMS. Starts and writes nothing. */
export async function chooseInstallation(wanted: Wanted, house: House): Promise<InstallChoice> {
  const source = await findSource(wanted, house);
  const name = checkNewName(wanted.alias ?? source.called);
  const found = matchConfigured(await house.config.read(), name);
  const before = found?.entry;
  const isSame = before !== undefined && runsSame(before, { name, recipe: source.recipe }, house);
  if (found && !wanted.force && !isSame) throw occupied(found, source.recipe);
  return {
    ...source,
    name: found?.name ?? name,
    before,
    isPresent: isSame && !wanted.force,
    knownValues: before ? toValues(before) : {},
    done: before ? 'upgraded' : 'installed',
  };
}

async function findSource(wanted: Wanted, house: House): Promise<Source> {
  const { name, from, version } = wanted;
  const kind = KINDS.find((known) => known === from);
  if (from !== undefined && kind === undefined) {
    const recipe = parseFrom(from, version);
    const called = name ?? toNewName(toOwnName(recipe));
    const said = recipe.kind === 'remote' ? new URL(recipe.target).origin : `${recipe.kind}:${recipe.target}`;
    return { recipe, called, from: said, description: undefined, others: [], note: undefined };
  }
  if (name === undefined)
    throw new GatewayError(
      'INVALID_PARAMS',
      'server install was not run. name: is missing; give the name of a server, or a package with from',
    );
  const { value: server, note } = await findServer(name, house, version);
  const recipes = toRecipes(server);
  const recipe = await pick(server, recipes, kind, house);
  const deprecated = server.status === 'deprecated' ? 'its publisher calls it deprecated' : undefined;
  const notes = [deprecated, note].filter((one) => one !== undefined).join('; ');
  return {
    recipe: { ...recipe, version: recipe.version ?? toPinned(recipe, server) },
    called: toNewName(server.name),
    from: `${server.name} ${server.version} of the registry (${recipe.kind})`,
    description: server.description || undefined,
    others: [...new Set(recipes.map((one) => one.kind))].filter((one) => one !== recipe.kind),
    note: notes || undefined,
  };
}

/** A package without a version is whatever its runner finds newest, whatever the server's own version is. */
function toPinned({ kind }: Recipe, { version }: RegistryServer): string | undefined {
  return RUNNERS[kind] === undefined ? version : undefined;
}

/** The kind asked for, else the first whose runner is on this machine, else the first. */
async function pick(
  server: RegistryServer,
  recipes: readonly Recipe[],
  kind: string | undefined,
  house: House,
): Promise<Recipe> {
  const offered = [...new Set(recipes.map((recipe) => recipe.kind))];
  if (kind !== undefined) {
    const asked = recipes.find((recipe) => recipe.kind === kind);
    if (asked) return asked;
    throw new GatewayError(
      'INVALID_PARAMS',
      `${server.name} is not offered as ${kind}; it is offered as ${offered.join(', ') || 'nothing that can be run here'}`,
    );
  }
  for (const recipe of recipes) if (await canRun(recipe, house)) return recipe;
  const [first] = recipes;
  if (first) return first;
  throw new GatewayError(
    'INSTALL_FAILED',
    `${server.name} offers no way to run it that is known here; see ${server.repository ?? 'its publisher'} and use server create`,
  );
}

async function canRun({ kind }: Recipe, { env, cwd, machine }: House): Promise<boolean> {
  const runner = RUNNERS[kind];
  if (runner === undefined) return true;
  const places = { path: env['PATH'], endings: env['PATHEXT'], cwd, platform: machine.platform };
  return (await findProgram(runner, places)) !== undefined;
}

/** What a package or address calls itself. */
function toOwnName({ kind, target }: Recipe): string {
  if (kind === 'remote')
    return new URL(target).hostname.replace(/^(www|mcp|api)\./, '').replace(/\.[a-z]+$/, '');
  if (kind === 'binary') return (new URL(target).pathname.split('/').at(-1) ?? '').replace(/\.\w+$/, '');
  return target.replace(/(?<=.)(@|==|:)[^/]*$/, '');
}

function runsSame(
  before: JsonObject,
  { name, recipe }: Pick<InstallChoice, 'name' | 'recipe'>,
  house: House,
): boolean {
  const { kind, target, sha256 } = recipe;
  if (kind === 'remote') return before['url'] === target;
  if (sha256 !== undefined) return before['command'] === toProgramPath({ name, sha256 }, house);
  const { args } = before;
  return Array.isArray(args) && args.includes(target);
}

function occupied({ name, builtin, entry }: Configured, { target }: Recipe): GatewayError {
  const version = typeof entry?.['version'] === 'string' ? ` (version ${entry['version']})` : '';
  const way = builtin
    ? 'give another name with --alias'
    : `--force puts ${target} in its place, --alias gives another name`;
  return new GatewayError('NAME_TAKEN', `a server called ${name} is configured already${version}; ${way}`);
}

function toValues({ env, headers }: JsonObject): Readonly<Record<string, string>> {
  const members = { ...(isJsonObject(env) ? env : {}), ...(isJsonObject(headers) ? headers : {}) };
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

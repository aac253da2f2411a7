/** `server edit`: changes single parts of a server's entry and leaves the rest as it is. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { nearest } from '../../../lib/nearest.ts';
import { isJsonObject, type JsonObject, toCanonicalJson } from '../../../model/json.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { hideForPlan } from '../../secrets/secret-values.ts';
import { findConfigured, matchConfigured } from '../../servers/server-entries.ts';
import { describeEntry } from '../../shown/describe-entry.ts';
import { toDiffLines } from '../../shown/diff-lines.ts';
import { ALIAS, ARGS, COMMAND, ENV, HEADERS, NAME, toAddress, UNTESTED, URL_INPUT } from './inputs.ts';
import { keepEntry, taken, UNTESTED_WAY_OUT } from './keep-entry.ts';
import { checkNewName } from './new-name.ts';
import { KEPT_OUTPUT, sayKept, sayTrial, toKeptOutput } from './said.ts';

const INPUT = z.object({
  name: NAME,
  command: COMMAND,
  args: ARGS,
  env: ENV,
  url: URL_INPUT,
  headers: HEADERS,
  unset: z.array(z.string().max(200)).max(50).optional().describe('what to remove, such as env.TOKEN or cwd'),
  alias: ALIAS,
  untested: UNTESTED,
});

type Input = z.output<typeof INPUT>;

/** Edits a server. */
export const edit = defineOperation({
  noun: 'server',
  verb: 'edit',
  summary: 'change parts of a server, or its name',
  input: INPUT,
  output: KEPT_OUTPUT,
  effects: 'acts',
  words: ['name'],
  short: 'edit',
  formerly: ['edit_server'],
  examples: [
    { name: 'github', env: { GITHUB_TOKEN: 'abc' } },
    { name: 'files', args: ['-y', 'some-package', '/tmp'], unset: ['env.DEBUG'] },
  ],
  async plan(input, house) {
    const { name, before, after, replaces } = await prepare(input, house);
    const { path } = await house.config.preview([{ path: ['mcpServers', name], value: after }]);
    const text = (entry: JsonObject) => `${JSON.stringify(hideForPlan(entry), undefined, 2)}\n`;
    return {
      summary: name === replaces ? `change the server ${name}` : `rename the server ${replaces} to ${name}`,
      details: [
        ...toDiffLines(`mcpServers.${name} in ${path}`, text(before), text(after)),
        ...describeEntry(after),
        ...sayTrial(after, input),
      ],
    };
  },
  async run(input, house) {
    const { name, before, after, replaces } = await prepare(input, house);
    const how = { verify: !input.untested, done: 'changed', wayOut: UNTESTED_WAY_OUT };
    const keeping = { name, entry: after, replaces: { name: replaces, entry: before }, ...how };
    const kept = await keepEntry(keeping, house);
    return toKeptOutput(name, kept);
  },
  toText: (output) => sayKept(output, 'is changed'),
});

interface Prepared {
  readonly name: string;
  readonly replaces: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

async function prepare(input: Input, house: House): Promise<Prepared> {
  const content = await house.config.read();
  const found = findConfigured(content, input.name);
  const { entry: before } = found;
  if (!before)
    throw wrong(
      `${found.name} is built in; its options are settings (thimble config set builtin.${found.id})`,
    );
  const name = input.alias === undefined ? found.name : checkNewName(input.alias);
  const other = name === found.name ? undefined : matchConfigured(content, name);
  if (other && other.name !== found.name) throw taken(other.name);
  checkFits(found.name, before, input);
  const after = change(before, input);
  if (name === found.name && toCanonicalJson(after) === toCanonicalJson(before))
    throw wrong('nothing would change; give command, args, env, url, headers, unset or alias');
  await house.config.preview([{ path: ['mcpServers', name], value: after }]);
  return { name, replaces: found.name, before, after };
}

/** What a server is given depends on what it is; told here, in the words that were typed. */
function checkFits(name: string, before: JsonObject, { command, args, env, url, headers }: Input): void {
  const isAtUrl = url !== undefined || (command === undefined && before['url'] !== undefined);
  const [given] = Object.keys(isAtUrl ? (env ?? {}) : (headers ?? {}));
  if (isAtUrl && given !== undefined) throw wrong(`${name} is at a URL; use --headers ${given}=…`);
  if (isAtUrl && args) throw wrong(`${name} is at a URL and takes no arguments; use --headers NAME=…`);
  if (!isAtUrl && given !== undefined) throw wrong(`${name} is a program; use --env ${given}=…`);
}

function change(before: JsonObject, { command, args, env, url, headers, unset = [] }: Input): JsonObject {
  const changed: Record<string, JsonObject[string]> = { ...before };
  if (command !== undefined) changed['command'] = command;
  if (args !== undefined) changed['args'] = args;
  if (url !== undefined) Object.assign(changed, toAddress(url));
  if (env) changed['env'] = { ...toMembers(before['env']), ...env };
  if (headers) changed['headers'] = { ...toMembers(before['headers']), ...headers };
  return unset.reduce<JsonObject>(remove, changed);
}

function remove(entry: JsonObject, path: string): JsonObject {
  const [key = '', ...rest] = path.split('.');
  const member = rest.join('.');
  const inner = toMembers(entry[key]);
  const isThere = Object.hasOwn(entry, key) && (member === '' || Object.hasOwn(inner, member));
  if (!isThere) {
    const known = Object.entries(entry).flatMap(([name, value]) => [
      name,
      ...Object.keys(toMembers(value)).map((one) => `${name}.${one}`),
    ]);
    const [near] = nearest(path, known);
    const hint = near === undefined ? `there are ${known.slice(0, 8).join(', ')}` : `did you mean "${near}"?`;
    throw wrong(`unset: ${JSON.stringify(path.slice(0, 80))} is not there; ${hint}`);
  }
  if (member === '') return without(entry, key);
  const left = without(inner, member);
  return Object.keys(left).length > 0 ? { ...entry, [key]: left } : without(entry, key);
}

function without(members: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== key));
}

function toMembers(value: JsonObject[string]): JsonObject {
  return isJsonObject(value) ? value : {};
}

function wrong(problem: string): GatewayError {
  return new GatewayError('INVALID_PARAMS', `server edit was not run. ${problem}`);
}

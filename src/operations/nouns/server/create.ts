/** `server create`: a server of one's own, by its program or its address. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { matchConfigured } from '../../servers/server-entries.ts';
import { describeEntry } from '../../shown/describe-entry.ts';
import { ARGS, COMMAND, ENV, FORCE, HEADERS, NAME, toAddress, UNTESTED, URL_INPUT } from './inputs.ts';
import { type Keeping, keepEntry, taken, UNTESTED_WAY_OUT } from './keep-entry.ts';
import { mergeEntries } from './merge-entries.ts';
import { checkNewName } from './new-name.ts';
import { KEPT_OUTPUT, sayKept, sayTrial, toKeptOutput } from './said.ts';

const INPUT = z.object({
  name: NAME,
  command: COMMAND,
  args: ARGS,
  env: ENV,
  url: URL_INPUT,
  headers: HEADERS,
  force: FORCE,
  untested: UNTESTED,
});

type Input = z.output<typeof INPUT>;

/** Configures a server by hand. */
export const create = defineOperation({
  noun: 'server',
  verb: 'create',
  summary: 'configure a server by its program or address',
  input: INPUT,
  output: KEPT_OUTPUT,
  effects: 'acts',
  words: ['name'],
  short: 'new',
  formerly: ['create_server'],
  examples: [
    { name: 'files', command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/tmp'] },
    { name: 'docs', url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer abc' } },
  ],
  async plan(input, house) {
    const { name, entry, replaces } = await prepare(input, house);
    const { path } = await house.config.preview([{ path: ['mcpServers', name], value: entry }]);
    return {
      summary: `${replaces === undefined ? 'configure' : 'replace'} the server ${name}`,
      details: [...describeEntry(entry), `writes: mcpServers.${name} in ${path}`, ...sayTrial(entry, input)],
    };
  },
  async run(input, house) {
    const prepared = await prepare(input, house);
    const how = { verify: !input.untested, done: 'configured', wayOut: UNTESTED_WAY_OUT };
    const kept = await keepEntry({ ...prepared, ...how }, house);
    return toKeptOutput(prepared.name, kept);
  },
  toText: (output) => sayKept(output, 'is configured'),
});

interface Prepared {
  readonly name: string;
  readonly entry: JsonObject;
  readonly replaces: Keeping['replaces'];
}

async function prepare(input: Input, house: House): Promise<Prepared> {
  const wish = checkNewName(input.name);
  const entry = toEntry(input);
  const found = matchConfigured(await house.config.read(), wish);
  if (found && (!input.force || found.builtin)) throw taken(found.name);
  const name = found?.name ?? wish;
  await house.config.preview([{ path: ['mcpServers', name], value: entry }]);
  if (!found?.entry) return { name, entry, replaces: undefined };
  return { name, entry: mergeEntries(found.entry, entry), replaces: { name, entry: found.entry } };
}

function toEntry({ name, command, args, env, url, headers }: Input): JsonObject {
  if (command === undefined && url === undefined)
    throw wrong(
      `say what ${name} is: thimble new ${name} -- <program> [arguments], or thimble new ${name} --url <address>`,
    );
  if (command !== undefined && url !== undefined)
    throw wrong('give either command (with args and env) or url (with headers), one of the two');
  if (url !== undefined) {
    if (args || env) throw wrong('args and env are for programs; a server at a url takes headers');
    return { ...toAddress(url), ...(headers && { headers }) };
  }
  if (headers) throw wrong('headers are for servers at a url; a program takes env');
  return { command: command ?? '', ...(args && { args }), ...(env && { env }) };
}

function wrong(problem: string): GatewayError {
  return new GatewayError('INVALID_PARAMS', `server create was not run. ${problem}`);
}

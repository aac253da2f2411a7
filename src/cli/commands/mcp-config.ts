/** `thimble mcp-config`: writes a `.mcp.json` through which clients of a project reach these servers. */
import { join, resolve } from 'node:path';
import { type Clients, openClients } from '../../clients/clients.ts';
import { claudeCodeProject } from '../../clients/known/claude-code-project/client.ts';
import type { ClientEdit } from '../../clients/steps.ts';
import { CLIENTS_FILE } from '../../config/clients-file.ts';
import { startsThimble } from '../../config/own-program.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { isJsonObject, type JsonObject, toCanonicalJson } from '../../model/json.ts';
import { toOwnEntry } from '../../operations/files/own-entry.ts';
import type { House } from '../../operations/house.ts';
import type { PreparedOperation } from '../../operations/operation.ts';
import { performForPerson } from '../../operations/perform.ts';
import { createEntryResolver } from '../../operations/servers/resolve-entries.ts';
import { hasAllOf } from '../../operations/servers/same-server.ts';
import { toChangeDetails, toShownDiff } from '../../operations/shown/client-change.ts';
import { toShown } from '../../operations/shown/quote.ts';
import { type Command, textOption } from '../command.ts';
import { openHouse, PLACE_OPTIONS } from '../house/open-house.ts';
import { stayAwake } from '../operations/stay-awake.ts';
import { createTerminalConsent, toPlanText } from '../operations/terminal-consent.ts';

/** The client whose file it is; others read the same form. */
const CLIENT = claudeCodeProject.key;

/** Writes one entry for each server, or one for all. */
export const mcpConfig: Command = {
  name: 'mcp-config',
  words: [],
  summary: `write ${CLIENTS_FILE} for the clients of a project: an entry for each server, or one for all`,
  options: [
    { flags: '--combined', summary: 'one entry that shows tools as they are activated' },
    { flags: '--file <file>', summary: `the file to write (${CLIENTS_FILE} here)` },
    { flags: '--stdout', summary: 'print it instead of writing it' },
    { flags: '--dry-run', summary: 'show what would change, and write nothing' },
    { flags: '--yes', summary: 'write without asking' },
    { flags: '--json', summary: 'the entries as JSON' },
    ...PLACE_OPTIONS,
  ],
  examples: ['thimble mcp-config --combined', 'thimble mcp-config --stdout', 'thimble mcp-config --dry-run'],
  async run(input, ports) {
    using _awake = stayAwake();
    await using house = await openHouse(input, ports);
    const { options } = input;
    const path = resolve(ports.cwd, textOption(input, 'file') ?? CLIENTS_FILE);
    const entries = await toEntries(house, path, options['combined'] === true);
    if (options['stdout'] === true || options['json'] === true) {
      ports.print(JSON.stringify({ mcpServers: Object.fromEntries(entries) }, null, 2));
      return 0;
    }
    const writing = toWriting(path, entries, house);
    if (options['dryRun'] === true) {
      const plan = await writing.plan(house);
      ports.print(plan ? toPlanText(plan) : toUnchangedText(path));
      return 0;
    }
    const agreed = options['yes'] === true;
    const consent = createTerminalConsent({ terminal: ports.terminal, agreed, tell: house.tell });
    ports.print((await performForPerson(writing, house, consent)).text);
    return 0;
  },
};

type Entries = ReadonlyMap<string, JsonObject>;

async function toEntries(house: House, target: string, combined: boolean): Promise<Entries> {
  const { config, path } = await house.config.read();
  if (path === target)
    throw new GatewayError(
      'FILE_REFUSED',
      `${path} is the configuration in use, and entries in it would start themselves; put your servers into thimble.jsonc first (thimble config migrate)`,
    );
  const toEntry = async (name: string, words: readonly string[]) =>
    [name, { ...(await toOwnEntry(house, words)) }] as const;
  if (combined) return new Map([await toEntry('thimble', ['stdio', '--mode', 'activate'])]);
  const served = config.upstreams.filter(({ enabled }) => enabled);
  return new Map(await Promise.all(served.map(({ id }) => toEntry(id, ['run', id]))));
}

/** The file is written as every file of a client is, and only as it was shown. */
function toWriting(path: string, entries: Entries, place: House): PreparedOperation {
  const clients = openClients({ ...place, files: { [CLIENT]: path } });
  const copies = join(place.home, 'backups', 'clients');
  return {
    async plan(house) {
      const change = await clients.previewEdit(CLIENT, await toEdits(clients, entries, house));
      if (change.before === change.after) return undefined;
      return { summary: `write ${path}`, details: toChangeDetails(change), diffs: toShownDiff(change) };
    },
    async run(house) {
      const { before, after } = await clients.edit(CLIENT, await toEdits(clients, entries, house));
      const names = [...entries.keys()];
      const kept = before === undefined ? '' : ` A copy of what it was lies in ${copies}.`;
      const text = before === after ? toUnchangedText(path) : `Wrote ${path}: ${names.join(', ')}.${kept}`;
      return { output: { file: path, servers: names }, text, succeeded: true };
    },
  };
}

function toUnchangedText(path: string): string {
  return `${path} is as it should be.`;
}

/** Our entries in place of those we wrote before; what others wrote stays, unless it is what we lead to. */
async function toEdits(clients: Clients, entries: Entries, house: House): Promise<readonly ClientEdit[]> {
  const { path, servers } = await clients.read(CLIENT);
  const isOurs = await findOurs(house);
  for (const { name, entry } of servers)
    if (entries.has(name) && !(entry && isOurs(name, entry)))
      throw new GatewayError(
        'NAME_TAKEN',
        `${path} has a server ${toShown(name)} that is not ours; rename it there, or choose another file with --file`,
      );
  const present = new Map(servers.map(({ name, entry }) => [name, entry]));
  const stale = servers.filter(({ name, entry }) => !entries.has(name) && entry && startsThimble(entry));
  const fresh = [...entries].filter(
    ([name, entry]) => toCanonicalJson(present.get(name)) !== toCanonicalJson(entry),
  );
  return [
    ...stale.map(({ name }) => ({ do: 'remove' as const, name })),
    ...fresh.map(([name, entry]) => ({ do: 'put' as const, name, entry })),
  ];
}

/** What we wrote before, and the server itself that was moved in here: nobody loses anything by being led here. */
async function findOurs(house: House): Promise<(name: string, entry: JsonObject) => boolean> {
  const { value, config } = await house.config.read();
  const resolve = await createEntryResolver(value, house);
  const { mcpServers } = value;
  return (id, entry) => {
    if (startsThimble(entry)) return true;
    const name = config.upstreams.find((upstream) => upstream.id === id)?.name ?? id;
    const own = isJsonObject(mcpServers) && Object.hasOwn(mcpServers, name) ? mcpServers[name] : undefined;
    return isJsonObject(own) && hasAllOf(resolve(own), resolve(entry));
  };
}

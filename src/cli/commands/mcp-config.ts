/** `thimble mcp-config`: writes a `.mcp.json` through which clients of a project reach these servers. */
import { resolve } from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import { parseJsonc } from '../../config/jsonc.ts';
import { startsThimble } from '../../config/own-program.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { editFile, readText } from '../../lib/edit-file.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { toOwnEntry } from '../../operations/files/own-entry.ts';
import { refusing } from '../../operations/files/refusing.ts';
import type { House } from '../../operations/house.ts';
import { toDiffLines } from '../../operations/shown/diff-lines.ts';
import { type Command, textOption } from '../command.ts';
import { openHouse, PLACE_OPTIONS } from '../house/open-house.ts';
import { stayAwake } from '../operations/stay-awake.ts';
import { createTerminalConsent, toPlanText } from '../operations/terminal-consent.ts';

const FILE = '.mcp.json';
const FORMATTING = { insertSpaces: true, tabSize: 2, eol: '\n' };

/** Writes one entry for each server, or one for all. */
export const mcpConfig: Command = {
  name: 'mcp-config',
  words: [],
  summary: `write ${FILE} for the clients of a project: an entry for each server, or one for all`,
  options: [
    { flags: '--combined', summary: 'one entry that shows tools as they are activated' },
    { flags: '--file <file>', summary: `the file to write (${FILE} here)` },
    { flags: '--stdout', summary: 'print it instead of writing it' },
    { flags: '--dry-run', summary: 'show what would change, and write nothing' },
    { flags: '--yes', summary: 'write without asking' },
    { flags: '--json', summary: 'the entries as JSON' },
    ...PLACE_OPTIONS,
  ],
  examples: ['thimble mcp-config --combined', 'thimble mcp-config --stdout', 'thimble mcp-config --dry-run'],
  async run(input, ports) {
    using _awake = stayAwake();
    await using house = openHouse(input, ports);
    const { options } = input;
    const path = resolve(ports.cwd, textOption(input, 'file') ?? FILE);
    const entries = await toEntries(house, path, options['combined'] === true);
    if (options['stdout'] === true || options['json'] === true) {
      ports.print(JSON.stringify({ mcpServers: entries }, null, 2));
      return 0;
    }
    const before = await refusing(path, 'read', () => readText(path));
    const after = withEntries(before, entries, path);
    if (before === after) {
      ports.print(`${path} is as it should be.`);
      return 0;
    }
    const plan = { summary: `write ${path}`, details: toDiffLines(path, before, after) };
    if (options['dryRun'] === true) {
      ports.print(toPlanText(plan));
      return 0;
    }
    const agreed = options['yes'] === true;
    const consent = createTerminalConsent({ terminal: ports.terminal, agreed, tell: house.tell });
    if ((await consent(plan)) !== 'yes') return 3;
    await refusing(path, 'written', () => editFile(path, (text) => withEntries(text, entries, path)));
    ports.print(`Wrote ${path}: ${Object.keys(entries).join(', ')}.`);
    return 0;
  },
};

async function toEntries(house: House, target: string, combined: boolean): Promise<JsonObject> {
  const { config, path } = await house.config.read();
  if (path === target)
    throw new GatewayError(
      'FILE_REFUSED',
      `${path} is the configuration in use, and entries in it would start themselves; put your servers into thimble.jsonc first (thimble config migrate)`,
    );
  if (combined) return { thimble: await toPlain(toOwnEntry(house, ['stdio', '--mode', 'activate'])) };
  const served = config.upstreams.filter(({ enabled }) => enabled);
  const pairs = served.map(async ({ id }) => [id, await toPlain(toOwnEntry(house, ['run', id]))] as const);
  return Object.fromEntries(await Promise.all(pairs));
}

async function toPlain(entry: ReturnType<typeof toOwnEntry>): Promise<JsonObject> {
  const { command, args } = await entry;
  return { command, args: [...args] };
}

/** The file with our entries in place of those we wrote before; what others wrote stays as it is. */
function withEntries(before: string | undefined, entries: JsonObject, path: string): string {
  const text = before === undefined || before.trim() === '' ? '{}\n' : before;
  const document = parseJsonc(text);
  if (!('value' in document) || !isJsonObject(document.value))
    throw new GatewayError(
      'FILE_REFUSED',
      `${path} is no JSON object; mend or move it, it was left as it is`,
    );
  const servers = document.value['mcpServers'];
  const present = isJsonObject(servers) ? servers : {};
  const stale = Object.entries(present)
    .filter(([name, entry]) => !Object.hasOwn(entries, name) && isJsonObject(entry) && startsThimble(entry))
    .map(([name]) => [name, undefined] as const);
  const foreign = Object.keys(entries).find((name) => {
    const other = present[name];
    return isJsonObject(other) && !startsThimble(other);
  });
  if (foreign !== undefined)
    throw new GatewayError(
      'NAME_TAKEN',
      `${path} has a server "${foreign}" that is not ours; rename it there, or choose another file with --file`,
    );
  return [...stale, ...Object.entries(entries)].reduce(
    (current, [name, entry]) =>
      applyEdits(current, modify(current, ['mcpServers', name], entry, { formattingOptions: FORMATTING })),
    text,
  );
}

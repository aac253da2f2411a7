/** `<ns>_activate_server`, `<ns>_deactivate_server` and `<ns>_server_status`. */
import type { Entry } from '../../catalog/catalog.ts';
import { nearest } from '../../lib/nearest.ts';
import type { JsonObject } from '../../model/json.ts';
import type { CatalogView } from '../../policy/policy.ts';
import { toFault, toText } from '../answers.ts';
import { withoutPrefix } from '../own-names.ts';
import type { ModePorts } from '../ports.ts';
import { toSignature } from '../signature.ts';
import { toTrouble } from '../standing-text.ts';
import {
  ANSWER_LINES_LIMIT,
  ANSWER_NAMES_LIMIT,
  firstSentence,
  toShortLines,
  toShortList,
} from '../words.ts';
import { type ActiveServers, readActive, switchServer, visibleServers } from './active.ts';

/** What the signatures of an answer may fill, in characters; the rest is named. */
const SIGNATURES_LIMIT = 6_000;
const WORDS_LIMIT = 80;

/** Activates a server; the answer says how to call what appeared, for clients that do not list again. */
export async function activateServer(
  args: JsonObject,
  view: CatalogView,
  ports: ModePorts,
): Promise<JsonObject> {
  const server = findServer(args, view, ports.namespace);
  if (typeof server !== 'string') return toFault(server.fault);
  const { before } = await switchServer(server, true, view, ports);
  const tools = view.toolsOf(server);
  const trouble = toTrouble(server, view);
  if (before.all.includes(server))
    return toText(`${server} is active already${trouble}; its tools:\n${toSignatures(tools)}`);
  if (tools.length === 0) return toText(`${server} is active${trouble}; it has no tools that are known yet`);
  return toText(
    `${server} is active${trouble}; these tools can be called now by their names:\n${toSignatures(tools)}`,
  );
}

/** Deactivates a server; the default one stays. */
export async function deactivateServer(
  args: JsonObject,
  view: CatalogView,
  ports: ModePorts,
): Promise<JsonObject> {
  const server = findServer(args, view, ports.namespace);
  if (typeof server !== 'string') return toFault(server.fault);
  const { before, after } = await switchServer(server, false, view, ports);
  if (server === before.default) return toFault(`${server} is the default server and stays active`);
  if (!before.all.includes(server)) return toText(`${server} is not active`);
  return toText(`${server} is not active any more; active now: ${after.all.join(', ')}`);
}

/** Says what is active, and what each server's tools cost. */
export async function showStatus(view: CatalogView, ports: ModePorts): Promise<JsonObject> {
  const active = await readActive(view, ports);
  const rows = await Promise.all(visibleServers(view).map((server) => toRow(server, active, view, ports)));
  const shown = rows.filter((row) => row.active);
  const total = (of: typeof rows, what: 'tools' | 'tokens') => of.reduce((sum, row) => sum + row[what], 0);
  return toText(
    [
      ...toShortLines(rows, ANSWER_LINES_LIMIT),
      `active: ${toCount(total(shown, 'tools'))}, ${total(shown, 'tokens')} tokens; all: ${toCount(total(rows, 'tools'))}, ${total(rows, 'tokens')} tokens`,
    ].join('\n'),
  );
}

async function toRow(server: string, active: ActiveServers, view: CatalogView, { tokens }: ModePorts) {
  const entries = view.toolsOf(server);
  const counts = await Promise.all(entries.map(({ definition }) => tokens.count(JSON.stringify(definition))));
  const sum = counts.reduce((total, count) => total + count, 0);
  const isActive = active.all.includes(server);
  const mark = server === active.default ? ' (default)' : '';
  const line = `${server}: ${isActive ? 'active' : 'inactive'}${mark}, ${toCount(entries.length)}, ${sum} tokens${toTrouble(server, view)}`;
  return { name: server, line, active: isActive, tools: entries.length, tokens: sum };
}

const toCount = (tools: number) => `${tools} tool${tools === 1 ? '' : 's'}`;

function findServer(
  args: JsonObject,
  view: CatalogView,
  namespace: string,
): string | { readonly fault: string } {
  const ids = visibleServers(view);
  const { server } = args;
  if (typeof server !== 'string')
    return { fault: `server has to be one of ${toShortList(ids, ANSWER_NAMES_LIMIT)}` };
  const title = [...view.upstreams(), ...view.unmet()].find((source) => source.title === server);
  const found = [server, withoutPrefix(server, namespace), title?.upstream].find(
    (name) => name !== undefined && ids.includes(name),
  );
  if (found !== undefined) return found;
  const near = nearest(server, ids, 3);
  const hint =
    near.length > 0 ? `the nearest: ${near.join(', ')}` : `there are ${toShortList(ids, ANSWER_NAMES_LIMIT)}`;
  return { fault: `no server is called "${server.slice(0, 100)}"; ${hint}` };
}

function toSignatures(entries: readonly Entry[]): string {
  const lines = entries.map((entry) => ({
    name: entry.publicName,
    // Written when it is read: of thousands of tools only the first few have room.
    get line() {
      return toLine(entry);
    },
  }));
  return toShortLines(lines, SIGNATURES_LIMIT).join('\n');
}

function toLine({ publicName, definition }: Entry): string {
  const words = firstSentence(String(definition['description'] ?? ''), WORDS_LIMIT);
  return `${publicName}${toSignature(definition).text}${words === '' ? '' : ` ${words}`}`;
}

/** Reads everything one server offers: all lists, whole, within bounds. */
import { RpcError } from '../errors/gateway-error.ts';
import type { CallContext } from '../model/call.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { ALL_KINDS, KINDS, type KindRow } from '../model/kinds.ts';
import type { Kind, Manifest } from '../model/manifest.ts';
import type { Definition } from '../model/mcp.ts';
import { findHeaderFault } from '../model/param-headers.ts';
import { toSafeDefinition } from './definitions.ts';
import type { Connection } from './upstream.ts';

/** What had to be left out of a manifest, in words for the log. */
export interface ManifestReading {
  readonly manifest: Manifest;
  readonly remarks: readonly string[];
}

const MAX_PAGES = 1_000;
const METHOD_NOT_FOUND = -32601;

/** Reads the lists the server declares; a list it declares but does not know counts as empty. */
export async function readManifest(connection: Connection, call: CallContext): Promise<ManifestReading> {
  const remarks: string[] = [];
  const read = async (kind: Kind) => [kind, await readList(connection, KINDS[kind], call, remarks)] as const;
  const lists = Object.fromEntries(await Promise.all(ALL_KINDS.map(read))) as Manifest['lists'];
  const tool =
    connection.hello.era === 'modern' ? lists.tool.filter((each) => isOffered(each, remarks)) : lists.tool;
  return { manifest: { hello: connection.hello, lists: { ...lists, tool } }, remarks: shorten(remarks) };
}

/** More than this about one server helps nobody. */
const MAX_REMARKS = 10;

function shorten(remarks: readonly string[]): readonly string[] {
  if (remarks.length <= MAX_REMARKS) return remarks;
  return [...remarks.slice(0, MAX_REMARKS), `and ${remarks.length - MAX_REMARKS} more of the kind`];
}

/** A tool whose header annotations are wrong must be left out ("Custom Headers from Tool Parameters"). */
function isOffered(tool: Definition, remarks: string[]): boolean {
  const fault = findHeaderFault(tool);
  if (fault !== undefined) remarks.push(`the tool ${JSON.stringify(tool['name'])} is left out: ${fault}`);
  return fault === undefined;
}

async function readList(
  connection: Connection,
  row: KindRow,
  call: CallContext,
  remarks: string[],
): Promise<readonly Definition[]> {
  if (!isJsonObject(connection.hello.capabilities[row.capability])) return [];
  const found = new Map<string, Definition>();
  const seenCursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await readPage(connection, row, call, cursor);
    addDefinitions(found, result[row.resultKey], row, remarks);
    const next = result['nextCursor'];
    if (typeof next !== 'string') return [...found.values()];
    if (seenCursors.has(next)) {
      remarks.push(`${row.listMethod} repeats the cursor ${JSON.stringify(next)}; the rest was not read`);
      return [...found.values()];
    }
    seenCursors.add(next);
    cursor = next;
  }
  remarks.push(`${row.listMethod} has more than ${MAX_PAGES} pages; the rest was not read`);
  return [...found.values()];
}

async function readPage(
  connection: Connection,
  row: KindRow,
  call: CallContext,
  cursor: string | undefined,
): Promise<JsonObject> {
  try {
    return await connection.request(row.listMethod, cursor === undefined ? {} : { cursor }, call);
  } catch (error) {
    if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) return {};
    throw error;
  }
}

function addDefinitions(
  found: Map<string, Definition>,
  listed: JsonObject[string],
  row: KindRow,
  remarks: string[],
): void {
  if (!Array.isArray(listed)) return;
  let nameless = 0;
  for (const definition of listed) {
    const id = isJsonObject(definition) ? definition[row.idKey] : undefined;
    if (!isJsonObject(definition) || typeof id !== 'string' || id === '') nameless += 1;
    else if (found.has(id))
      remarks.push(`${row.listMethod} lists ${JSON.stringify(id)} twice; the first counts`);
    else {
      const safe = toSafeDefinition(definition, row, remarks);
      if (safe) found.set(id, safe);
    }
  }
  if (nameless > 0) remarks.push(`${row.listMethod} has ${nameless} entries without a ${row.idKey}`);
}

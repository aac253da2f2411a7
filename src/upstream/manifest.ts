/** Reads everything one server offers: all lists, whole, within bounds. */
import { RpcError } from '../errors/gateway-error.ts';
import type { CallContext } from '../model/call.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { ALL_KINDS, KINDS, type KindRow } from '../model/kinds.ts';
import type { Kind, Manifest } from '../model/manifest.ts';
import type { Definition } from '../model/mcp.ts';
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
  return { manifest: { hello: connection.hello, lists }, remarks };
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
    else found.set(id, definition);
  }
  if (nameless > 0) remarks.push(`${row.listMethod} has ${nameless} entries without a ${row.idKey}`);
}

/** `list_mcp_resources` and `read_mcp_resource`: resources of all servers, as `server|uri`. */
import type { Entry } from '../../catalog/catalog.ts';
import { GatewayError, RpcError } from '../../errors/gateway-error.ts';
import { didYouMean, nearest } from '../../lib/nearest.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { metaOf } from '../../model/mcp.ts';
import type { CatalogView } from '../../policy/policy.ts';
import { toFault, toText } from '../answers.ts';
import { argumentsOf } from '../arguments.ts';
import { sayUnmet } from '../standing-text.ts';

const PAGE = 50;
const LINE_LIMIT = 100;

/** Lists one page of resources and templates. */
export function listResources(args: JsonObject, view: CatalogView): JsonObject {
  const { server, cursor = '0' } = args;
  const silent = view.unmet().find(({ upstream }) => upstream === server);
  if (silent) return toFault(sayUnmet(silent, view, 'resources'));
  const ids = [...view.upstreams(), ...view.unmet()].map(({ upstream }) => upstream);
  if (server !== undefined && !ids.some((id) => id === server)) {
    return toFault(`no server is called "${String(server)}"${didYouMean(String(server), ids)}`);
  }
  const start = Number(cursor);
  if (!Number.isSafeInteger(start) || start < 0)
    return toFault('cursor has to be the one the last page ended with');
  const all = [...view.list('resource'), ...view.list('template')].filter(
    ({ upstream }) => server === undefined || upstream === server,
  );
  const page = all.slice(start, start + PAGE);
  if (page.length === 0) return toText(all.length === 0 ? 'no resources' : 'no more resources');
  const next = start + page.length;
  const last =
    next < all.length ? `${next} of ${all.length}; cursor:"${next}" goes on` : `${next} of ${all.length}`;
  return toText([...page.map(toLine), last].join('\n'), { resources: page.map(toMeta) });
}

/** Reads one resource; contents are never kept, binary stays base64. */
export async function readResource(params: JsonObject, view: CatalogView): Promise<JsonObject> {
  const { uri } = argumentsOf(params);
  if (typeof uri !== 'string')
    return toFault('uri has to be one that list_mcp_resources shows, such as "files|file:///notes.txt"');
  const { arguments: _args, name: _name, ...rest } = params;
  try {
    const result = await read(uri, rest, view);
    const { contents, ...others } = result;
    if (!Array.isArray(contents)) return result;
    return { ...others, content: contents.map((resource: JsonValue) => ({ type: 'resource', resource })) };
  } catch (error) {
    if (error instanceof GatewayError) return toFault(sayUnread(uri, error, view));
    if (error instanceof RpcError) return toFault(`${uri.slice(0, 100)}: ${error.message} (${error.code})`);
    throw error;
  }
}

function read(text: string, params: JsonObject, view: CatalogView): Promise<JsonObject> {
  const bar = text.indexOf('|');
  const server = text.slice(0, Math.max(0, bar));
  const isQualified = view.upstreams().some(({ upstream }) => upstream === server);
  // A plain URI works as well, as long as it is clear whose it is.
  return isQualified ? view.readAt(server, text.slice(bar + 1), params) : view.read(text, params);
}

function sayUnread(uri: string, error: GatewayError, view: CatalogView): string {
  if (error.code !== 'RESOURCE_NOT_FOUND') return error.message;
  const silent = view.unmet().find(({ upstream }) => uri.startsWith(`${upstream}|`));
  if (silent) return sayUnmet(silent, view, 'resources');
  const known = [...view.list('resource'), ...view.list('template')].map(toQualified);
  const near = nearest(uri, known, 3);
  return `no resource is called "${uri.slice(0, 100)}"; ${near.length > 0 ? `the nearest: ${near.join(', ')}` : 'list_mcp_resources shows them'}`;
}

function toQualified({ upstream, name }: Entry): string {
  return `${upstream}|${name}`;
}

function toLine(entry: Entry): string {
  const { name, title, description, mimeType } = entry.definition;
  const label = String(title ?? (name === entry.name ? '' : (name ?? '')));
  const about = typeof description === 'string' ? description.replace(/\s+/g, ' ').slice(0, LINE_LIMIT) : '';
  const kind = entry.kind === 'template' ? 'template' : '';
  const notes = [kind, mimeType].filter((note) => note !== undefined && note !== '').join(' ');
  return [toQualified(entry), label, about === label ? '' : about, notes === '' ? '' : `[${notes}]`]
    .filter((part) => part !== '')
    .join(' ')
    .replace(/[\s\p{C}]+/gu, ' ');
}

function toMeta(entry: Entry): JsonObject {
  const meta = metaOf(entry.definition);
  return { uri: toQualified(entry), ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}) };
}

/** Facts of the Model Context Protocol that every layer shares: eras, revisions, reserved keys, shapes. */
import { isJsonObject, type JsonObject } from './json.ts';

/** `legacy` opens with `initialize` and keeps a session; `modern` carries everything in each request. */
export type Era = 'legacy' | 'modern';

/** The stateless revision. */
export const MODERN_REVISION = '2026-07-28';

/** Every handshake-based revision, newest first. */
export const LEGACY_REVISIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/** The handshake-based revision we prefer. */
export const LATEST_LEGACY_REVISION = '2025-11-25';

/** The request by which a modern client hears of changes; it runs until one side has enough. */
export const LISTEN = 'subscriptions/listen';

/** Reserved members of `_meta` in the modern era. */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The member of `params` that the Mcp-Name header repeats over HTTP, for the methods that have one. */
export const NAME_MEMBERS: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** Name and version of a client or server, with whatever else it says of itself. */
export interface Implementation extends JsonObject {
  readonly name: string;
  readonly version: string;
}

/** What a server says of itself when a link to it opens. */
export interface ServerHello {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly serverInfo: Implementation;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
}

/** One listed tool, resource, template or prompt, whole, as its server wrote it. */
export type Definition = JsonObject;

/** The member of `params` that may hold anything, as an object. */
export function metaOf(params: JsonObject | undefined): JsonObject {
  const meta = params?.['_meta'];
  return isJsonObject(meta) ? meta : {};
}

/** The four tools of search mode, as a client is shown them: few words, the same bytes whoever is up. */
import type { Definition } from '../../model/mcp.ts';
import type { CatalogView } from '../../policy/policy.ts';
import { NAMES_LIMIT, toShortList } from '../words.ts';

/** Finds tools. */
export const DISCOVER = 'discover_mcp_tools';
/** Calls one. */
export const EXECUTE = 'execute_mcp_tool';
/** Lists resources. */
export const LIST_RESOURCES = 'list_mcp_resources';
/** Reads one. */
export const READ_RESOURCE = 'read_mcp_resource';

/** How many hits an answer has unless told otherwise. */
export const DEFAULT_LIMIT = 5;
/** How many hits an answer has at most. */
export const MAX_LIMIT = 20;

const READ_ONLY = { readOnlyHint: true };
const text = (description: string) => ({ type: 'string', description });

/** The surface of search mode. */
export function toDefinitions(view: CatalogView): readonly Definition[] {
  return [
    {
      name: DISCOVER,
      description: `Find tools by what you want to do, one step at a time.${toNames(view)}`,
      inputSchema: {
        type: 'object',
        properties: {
          query: text('One step in plain words, a tool name, or "*" for all servers'),
          limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
          server: text('Only this server'),
          detail: { type: 'string', enum: ['schema'], description: 'Full JSON Schemas' },
        },
        required: ['query'],
      },
      annotations: READ_ONLY,
    },
    {
      name: EXECUTE,
      description: 'Call a discovered tool.',
      inputSchema: {
        type: 'object',
        properties: { tool_path: text('server:tool'), arguments: { type: 'object' } },
        required: ['tool_path'],
      },
    },
    {
      name: LIST_RESOURCES,
      description: 'List resources and templates of the servers.',
      inputSchema: {
        type: 'object',
        properties: { server: text('Only this server'), cursor: text('From the last page') },
      },
      annotations: READ_ONLY,
    },
    {
      name: READ_RESOURCE,
      description: 'Read a listed resource.',
      inputSchema: {
        type: 'object',
        properties: { uri: text('server|uri') },
        required: ['uri'],
      },
      annotations: READ_ONLY,
    },
  ];
}

/** The servers by id, cut where the list gets long: always the first in order, so that the bytes stay. */
function toNames(view: CatalogView): string {
  // The configured ones, met or not: whether a server is up must not change a byte.
  const ids = [...view.upstreams(), ...view.unmet()].map(({ upstream }) => upstream).sort();
  return ids.length === 0 ? '' : ` Servers: ${toShortList(ids, NAMES_LIMIT)}.`;
}

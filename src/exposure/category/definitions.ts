/** The tools of category mode as a client is shown them. */
import type { JsonObject } from '../../model/json.ts';
import type { Definition } from '../../model/mcp.ts';
import { toOwnName } from '../own-names.ts';
import { NAMES_LIMIT, toShortList } from '../words.ts';

/** The word of the tool that reaches what has no category of its own. */
export const TOOLS = 'tools';
/** The word of the tool that tells actions and schemas. */
export const DISCOVER = 'discover';

/** The tool of one upstream. */
export function toCategoryTool(name: string, description: string): Definition {
  return { name, description, inputSchema: toActionSchema('string') };
}

/** The tool for everything that has no tool of its own here. */
export function toToolsTool(namespace: string, servers: readonly string[]): Definition {
  const names = servers.length === 0 ? '' : `: ${toShortList(servers, NAMES_LIMIT)}`;
  return {
    name: toOwnName(namespace, TOOLS),
    description: `Call tools of other servers${names}`,
    inputSchema: toActionSchema('server:tool'),
  };
}

/** The tool that tells what there is to call. */
export function toDiscoverTool(namespace: string): Definition {
  return {
    name: toOwnName(namespace, DISCOVER),
    description: 'List categories, the actions of one, or the schema of one action',
    inputSchema: {
      type: 'object',
      properties: { category: { type: 'string' }, action: { type: 'string' } },
    },
    annotations: { readOnlyHint: true },
  };
}

function toActionSchema(action: string): JsonObject {
  return {
    type: 'object',
    properties: {
      action: action === 'string' ? { type: 'string' } : { type: 'string', description: action },
      params: { type: 'object' },
    },
    required: ['action'],
  };
}

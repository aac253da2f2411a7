/** The three tools that switch servers on and off, as a client is shown them. */
import type { JsonObject } from '../../model/json.ts';
import type { Definition } from '../../model/mcp.ts';
import { toOwnName } from '../own-names.ts';
import { NAMES_LIMIT, toShortList } from '../words.ts';

/** The words of the three tools. */
export const WORDS = {
  activate: 'activate_server',
  deactivate: 'deactivate_server',
  status: 'server_status',
} as const;

/** The tools; the servers are the configured ones, met or not, active or not: no call changes their bytes. */
export function toOwnTools(namespace: string, servers: readonly string[]): readonly Definition[] {
  const names = servers.length === 0 ? '' : `: ${toShortList(servers, NAMES_LIMIT)}`;
  return [
    {
      name: toOwnName(namespace, WORDS.activate),
      description: `Show a server's tools${names}`,
      inputSchema: SERVER_SCHEMA,
      annotations: { destructiveHint: false, idempotentHint: true },
    },
    {
      name: toOwnName(namespace, WORDS.deactivate),
      description: "Hide a server's tools",
      inputSchema: SERVER_SCHEMA,
      annotations: { destructiveHint: false, idempotentHint: true },
    },
    {
      name: toOwnName(namespace, WORDS.status),
      description: 'Active servers, with tools and tokens',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    },
  ];
}

const SERVER_SCHEMA: JsonObject = {
  type: 'object',
  properties: { server: { type: 'string' } },
  required: ['server'],
};

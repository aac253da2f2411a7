/** The configuration as a JSON Schema, so that editors complete and check it. */
import * as z from 'zod';
import type { JsonObject } from '../model/json.ts';
import type { Connector } from '../upstream/upstream.ts';
import { COMMON_OPTIONS, type ConfigParts, createSectionsSchema, toOffered, toTypes } from './schema.ts';

/** Makes the JSON Schema (draft 2020-12) of a configuration with these connectors and modes. */
export function toConfigJsonSchema(parts: ConfigParts): JsonObject {
  const offered = toOffered(parts.connectors);
  const servers = z
    .record(z.string(), z.union(offered.map((connector) => toEntrySchema(connector, offered))))
    .optional()
    .describe('The MCP servers behind the gateway, by name.');
  const whole = createSectionsSchema(parts).extend({ mcpServers: servers });
  const schema = z.toJSONSchema(whole, { target: 'draft-2020-12', io: 'input' });
  return { ...(schema as JsonObject), title: 'Thimble configuration' };
}

function toEntrySchema(connector: Connector, all: readonly Connector[]): z.ZodObject {
  const types = [...toTypes(all)].filter(([, meant]) => meant === connector).map(([type]) => type);
  return z
    .strictObject({
      ...connector.options.shape,
      ...COMMON_OPTIONS.shape,
      type: z.enum(types).optional().describe('The kind of server; found out when absent.'),
    })
    .describe(connector.summary);
}

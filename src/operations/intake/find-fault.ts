/** Whether a server from elsewhere can be used in a configuration. */
import { toReason } from '../../config/faults.ts';
import { startsThimble } from '../../config/own-program.ts';
import { parseConfig } from '../../config/parse.ts';
import { CONFIG_PARTS } from '../../gateway.ts';
import type { JsonObject } from '../../model/json.ts';
import { findNameFault } from '../shown/config-servers.ts';

/** A server from elsewhere. */
export interface Incoming {
  readonly name: string;
  readonly entry: JsonObject;
}

/** Why it cannot be used, mostly in the words of the schema and without its values; undefined when it can. */
export function findFault({ name, entry }: Incoming): string | undefined {
  const strange = findNameFault(name);
  if (strange !== undefined) return strange;
  if (startsThimble(entry)) return 'it starts Thimble itself';
  try {
    parseConfig(JSON.stringify({ mcpServers: { [name]: entry } }), 'it', CONFIG_PARTS);
    return undefined;
  } catch (error) {
    return toReason(error).replaceAll(/^it:\d+:\d+ /gm, '');
  }
}

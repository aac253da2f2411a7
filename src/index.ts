/** The public API: a gateway as a library. */
import { toConfigJsonSchema as toSchema } from './config/json-schema.ts';
import { CONFIG_PARTS } from './gateway.ts';
import type { JsonObject } from './model/json.ts';

export type { Config } from './config/config.ts';
export type { ConfigInput } from './config/schema.ts';
export { GatewayError, RpcError } from './errors/gateway-error.ts';
export { ERRORS, type ErrorCode, type ErrorRow } from './errors/table.ts';
export type { GatewayEvent } from './events/events.ts';
export { createGateway, type Gateway, type GatewayOptions } from './gateway.ts';
export { VERSION } from './model/version.ts';
export type { Health } from './session/health.ts';
export { createMemoryStore } from './store/memory-store.ts';
export { openStore } from './store/open.ts';
export type { Store } from './store/store.ts';

/** The JSON Schema of thimble.jsonc, for editors. */
export function toConfigJsonSchema(): JsonObject {
  return toSchema(CONFIG_PARTS);
}

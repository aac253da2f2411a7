/** A gateway in this process with one legacy client, for tests that need no wire in front. */
import { createGateway, type Gateway } from '../../src/gateway.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { LOCAL_PRINCIPAL } from '../../src/model/principal.ts';
import { PLAIN } from './plain-config.ts';

/** A client of a gateway in this process. */
export interface LocalClient extends AsyncDisposable {
  readonly gateway: Gateway;
  request(method: string, params?: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
}

/** Opens a gateway over the given servers and introduces a client. */
export async function openLocalClient(mcpServers: JsonObject): Promise<LocalClient> {
  const gateway = await createGateway({ ...PLAIN, mcpServers: mcpServers as Record<string, JsonObject> });
  await Promise.all(gateway.upstreams.all.map(({ firstContact }) => firstContact));
  const session = gateway.sessions.openLegacy({
    endpoint: gateway.sessions.endpointOf('/mcp', undefined),
    principal: LOCAL_PRINCIPAL,
    push() {},
  });
  const request = (method: string, params: JsonObject = {}, signal = new AbortController().signal) =>
    session.request(method, params, { id: 1, signal, client: { notify() {} } });
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  });
  return {
    gateway,
    request,
    async [Symbol.asyncDispose]() {
      session.close();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

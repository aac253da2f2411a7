/** A client of a built-in in this process, for tests that need no wire. */
import type { JsonObject } from '../model/json.ts';
import { createChannelPair } from '../wire/memory-channel.ts';
import type { Message } from '../wire/message.ts';
import { openPeer, type Peer } from '../wire/peer.ts';
import type { BuiltinServer } from './server.ts';
import type { ServerTransport } from './transport-channel.ts';

/** The answer of a tool. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** `structuredContent`; empty when there is none. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A client that was not introduced: built-ins do not insist. */
export interface TestClient {
  readonly peer: Peer;
  request(method: string, params?: JsonObject): Promise<JsonObject>;
  call(tool: string, args?: JsonObject): Promise<ToolAnswer>;
}

/** Connects a server to a client in memory. */
export async function openTestClient(server: BuiltinServer): Promise<TestClient> {
  const [ours, theirs] = createChannelPair();
  const transport: ServerTransport = {
    async start() {
      theirs.open({
        message: (message) => transport.onmessage?.(message as never),
        failed() {},
        closed: () => transport.onclose?.(),
      });
    },
    send: async (message) => theirs.send(message as Message),
    close: () => theirs.close(),
  };
  await server.connect(transport);
  const peer = openPeer(ours, { onRequest: async () => ({}), onNotification() {} });
  const request = (method: string, params: JsonObject = {}) => peer.request(method, params);
  return {
    peer,
    request,
    async call(tool, args = {}) {
      const result = await request('tools/call', { name: tool, arguments: args });
      const [first] = result['content'] as readonly { readonly text: string }[];
      return {
        text: first?.text ?? '',
        isError: result['isError'] === true,
        data: (result['structuredContent'] ?? {}) as ToolAnswer['data'],
      };
    },
  };
}

/** Hosts a whole MCP server inside this process and reaches it without leaving it. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { didYouMean } from '../../../lib/nearest.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { Channel, ChannelReceiver, CloseReason } from '../../../wire/channel.ts';
import type { Message, RequestId } from '../../../wire/message.ts';
import { readOptions } from '../../read-options.ts';
import type { Connector } from '../../upstream.ts';

/** The end of a link that a hosted server holds; shaped as the transport of the MCP SDKs. */
interface HostedTransport {
  start(): Promise<void>;
  send(message: unknown, options?: unknown): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  sessionId?: string | undefined;
}

/** Anything that serves MCP over such a transport: a server of ours, or one built with an SDK. */
export interface HostedServer {
  connect(transport: HostedTransport): Promise<void>;
}

/** The servers that can be hosted; each link gets a server of its own. */
export type HostedServers = ReadonlyMap<
  string,
  (options: JsonObject) => HostedServer | Promise<HostedServer>
>;

const OPTIONS = z.strictObject({
  server: z.string().min(1).describe('which of the servers inside the gateway'),
  version: z.string().optional().describe('the version of that server'),
  options: z.record(z.string(), z.json()).default({}).describe('what that server is told'),
});

/** Creates the connector for the servers handed in. */
export function createBuiltin(hosted: HostedServers): Connector {
  return {
    kind: 'builtin',
    summary: 'a server inside the gateway',
    options: OPTIONS,
    recognises: (options) => typeof options['server'] === 'string',
    async open(raw, ports) {
      ports.signal.throwIfAborted();
      const { server: name, options } = readOptions(OPTIONS, raw);
      const create = hosted.get(name);
      if (create === undefined) {
        const hint = didYouMean(name, hosted.keys());
        throw new GatewayError('CONFIG_INVALID', `there is no built-in server "${name}"${hint}`);
      }
      const { channel, transport } = createHostedLink();
      const server = await create(options as JsonObject);
      await server.connect(transport);
      return { channel, notes: () => ({ badLines: 0, stderr: [], pid: undefined }) };
    },
  };
}

function createHostedLink(): { readonly channel: Channel; readonly transport: HostedTransport } {
  let receiver: ChannelReceiver | undefined;
  let ended = false;
  const early: (readonly [Message, RequestId | undefined])[] = [];

  function end(reason: CloseReason): void {
    if (ended) return;
    ended = true;
    receiver?.closed(reason);
    transport.onclose?.();
  }

  const transport: HostedTransport = {
    async start() {},
    async send(message, options) {
      if (ended) return;
      const origin = toOrigin(options);
      if (receiver) receiver.message(message as Message, origin);
      else early.push([message as Message, origin]);
    },
    async close() {
      end({ kind: 'closed', message: 'the built-in server closed the link' });
    },
  };
  const channel: Channel = {
    open(next) {
      receiver = next;
      for (const [message, origin] of early.splice(0)) next.message(message, origin);
    },
    send(message) {
      // A server may answer at once; whoever sends must not be answered before it has finished sending.
      queueMicrotask(() => {
        if (!ended) transport.onmessage?.(message as never);
      });
    },
    async close() {
      end({ kind: 'closed', message: 'the link was closed' });
    },
  };
  return { channel, transport };
}

/** The request a message belongs to, as SDK servers say it too. */
function toOrigin(options: unknown): RequestId | undefined {
  const related = (options as { readonly relatedRequestId?: unknown } | undefined)?.relatedRequestId;
  return typeof related === 'string' || typeof related === 'number' ? related : undefined;
}

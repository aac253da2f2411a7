/** Makes a channel of the transport an MCP SDK, or the connector that hosts us, hands to a server. */
import type { Channel } from '../wire/channel.ts';
import { parseMessage } from '../wire/message.ts';

/** The shape all SDK transports share. */
export interface ServerTransport {
  start(): Promise<void>;
  send(message: unknown, options?: unknown): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** Wraps a transport that was not started yet. */
export function toChannel(transport: ServerTransport): Channel {
  return {
    open(receiver) {
      transport.onmessage = (message: unknown) => {
        const parsed = parseMessage(message);
        if (parsed) receiver.message(parsed);
      };
      transport.onclose = () => receiver.closed({ kind: 'closed', message: 'the client closed the link' });
    },
    send(message, route) {
      // A client that is gone hears nothing; the transport itself tells when it is closed.
      transport.send(message, { relatedRequestId: route?.relatedTo }).catch(() => {});
    },
    close: () => transport.close(),
  };
}

/** The contract of whatever carries messages: a pipe, an HTTP endpoint, two linked ends in memory. */
import type { Message, RequestId } from './message.ts';

/** Why a channel ended, in words a person can use. */
export interface CloseReason {
  readonly kind: 'closed' | 'exited' | 'failed' | 'refused';
  readonly message: string;
}

/** Hears what a channel carries. */
export interface ChannelReceiver {
  /** A message came in; `origin` is the request of ours on whose stream it came, where that is known. */
  message(message: Message, origin?: RequestId): void;
  /** A request of ours, or without an id every one in flight, will get no answer, though the channel lives on. */
  failed(id: RequestId | undefined, error: Error): void;
  /** The channel is gone; called once. */
  closed(reason: CloseReason): void;
}

/** How one message should travel. */
export interface Route {
  /** The other side's request this message belongs to. */
  readonly relatedTo?: RequestId | undefined;
  /** Further HTTP headers, where the channel has such. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Carries messages both ways; knows nothing of what they mean. */
export interface Channel {
  /** Starts delivery; called once, before anything is sent. */
  open(receiver: ChannelReceiver): void;
  /** Throws when the message cannot be written, having sent nothing of it. */
  send(message: Message, route?: Route): void;
  /** Gives up on one of our requests by means of the channel itself; false when a message must say it. */
  abandon?(id: RequestId): boolean;
  /** Told once the protocol revision is agreed, where the carrier has to repeat it. */
  agreed?(protocolVersion: string): void;
  /** Ends the channel and frees what it holds; safe to call twice. */
  close(): Promise<void>;
}

/** The HTTP+SSE transport of revision 2024-11-05: one GET that stays open, and POSTs beside it. */
import { randomBytes } from 'node:crypto';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { Channel, ChannelReceiver } from '../../wire/channel.ts';
import type { Message } from '../../wire/message.ts';
import { toFullError } from '../calls.ts';
import { type Conversation, openConversation } from '../conversation.ts';
import { SESSION_LIMIT } from '../limits.ts';
import { type Address, principalOf } from './address.ts';
import type { HttpContext, HttpExchange } from './http-context.ts';
import { sendEmpty } from './reply.ts';
import { endShares, type Shared } from './shared-things.ts';
import { openSse, type Sse, toFrame } from './sse.ts';

/** Serves clients of the oldest HTTP transport beside every MCP address. */
export interface PairFace {
  /** Opens the stream; the session lives as long as it does. */
  open(address: Address, exchange: HttpExchange): void;
  /** Takes a message for an open stream. */
  post(address: Address, message: Message, exchange: HttpExchange): void;
  /** Ends the streams of shares that are over; true when some of others are left. */
  endShares(isOver: (share: string) => boolean): boolean;
  close(): void;
}

interface LivePair extends Shared {
  readonly channel: PairChannel;
  readonly talk: Conversation;
  readonly place: string;
}

class PairChannel implements Channel {
  receiver: ChannelReceiver | undefined;
  stream: Sse | undefined;

  open(receiver: ChannelReceiver): void {
    this.receiver = receiver;
  }

  send(message: Message): void {
    this.stream?.write(toFrame(message));
  }

  async close(): Promise<void> {
    this.stream?.end();
  }
}

/** Creates the face, without streams. */
export function createPairFace(context: HttpContext): PairFace {
  const live = new Map<string, LivePair>();

  return {
    open(address, { response }) {
      const { sessions, feed, clock, calls } = context;
      const principal = principalOf(address, context.principal);
      const endpoint = sessions.endpointOf(address.path, address.profile);
      if (live.size >= SESSION_LIMIT)
        throw toFullError(`all ${SESSION_LIMIT} SSE streams are in use; close a client, or use /mcp`);
      const id = randomBytes(24).toString('base64url');
      const channel = new PairChannel();
      const talk = openConversation(channel, { sessions, endpoint, principal, feed, clock, calls });
      live.set(id, { channel, talk, place: address.place, share: address.guest?.share });
      channel.stream = openSse(response, {
        clock,
        onClosed() {
          live.delete(id);
          channel.receiver?.closed({ kind: 'closed', message: 'the client closed its stream' });
        },
      });
      channel.stream.write(`event: endpoint\ndata: ${toMessagesTarget(address, id)}\n\n`);
    },
    post(address, message, { response }) {
      const pair = address.pairId === undefined ? undefined : live.get(address.pairId);
      if (pair === undefined || pair.place !== address.place)
        throw new GatewayError(
          'SESSION_UNKNOWN',
          'no open stream has that sessionId; open one with GET on the /sse beside it',
        );
      pair.channel.receiver?.message(message);
      sendEmpty(response, 202);
    },
    endShares: (isOver) => endShares(live.values(), isOver, ({ talk }) => void talk.cut()),
    close() {
      for (const { talk } of [...live.values()]) void talk.cut();
    },
  };
}

function toMessagesTarget(address: Address, id: string): string {
  const query = new URLSearchParams({ sessionId: id });
  // What a share is narrowed to is said by the share alone.
  if (address.profile !== undefined && address.guest === undefined) query.set('profile', address.profile);
  return `${address.messagesPath}?${query}`;
}

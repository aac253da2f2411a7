/** One session of Streamable HTTP up to 2025-11-25: a channel whose messages travel on POST answers and a GET stream. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Channel, ChannelReceiver, Route } from '../../wire/channel.ts';
import {
  isId,
  isRequest,
  isResponse,
  type Message,
  type RequestId,
  type ResponseMessage,
} from '../../wire/message.ts';
import { LOG_KEEP_MS } from '../limits.ts';
import { type Cursor, createEventLog } from './event-log.ts';
import { Exchange, type MessageStream } from './exchange.ts';
import { sendEmpty } from './reply.ts';
import { ResumableStream } from './resumable-stream.ts';
import { openSse } from './sse.ts';

const STANDALONE = 0;
const FIRST_WITH_PRIMING = '2025-11-25';
const ONLY_WITH_BATCHES = '2025-03-26';

/** The HTTP side of one legacy session. */
export class LegacyChannel implements Channel {
  readonly id: string;
  readonly #clock: Clock;
  readonly #log = createEventLog();
  readonly #standalone = new ResumableStream(STANDALONE, this.#log);
  readonly #streams = new Map<number, ResumableStream>([[STANDALONE, this.#standalone]]);
  readonly #exchanges = new Map<RequestId, Exchange>();
  #receiver: ChannelReceiver | undefined;
  #lastStream = STANDALONE;
  #version: string | undefined;
  #lastUsed: number;
  #closed = false;

  constructor(id: string, clock: Clock) {
    this.id = id;
    this.#clock = clock;
    this.#lastUsed = clock.now();
  }

  /** True once `initialize` has succeeded. */
  get ready(): boolean {
    return this.#version !== undefined;
  }

  /** True while a request runs. */
  get busy(): boolean {
    return this.#exchanges.size > 0;
  }

  /** True while the client has its standalone stream open. */
  get listening(): boolean {
    return this.#standalone.attached;
  }

  /** When the client was last heard of; now, while it is connected. */
  get lastUsed(): number {
    if (this.busy || this.listening) this.#lastUsed = this.#clock.now();
    return this.#lastUsed;
  }

  open(receiver: ChannelReceiver): void {
    this.#receiver = receiver;
  }

  agreed(protocolVersion: string): void {
    this.#version = protocolVersion;
  }

  send(message: Message, route?: Route): void {
    if (route?.relatedTo === undefined) {
      this.#standalone.send(message);
      return;
    }
    const exchange = this.#exchanges.get(route.relatedTo);
    if (isResponse(message)) this.#answer(route.relatedTo, exchange, message);
    else exchange?.interim(message);
  }

  /** Takes what one POST brought and answers it. */
  post(messages: readonly Message[], batch: boolean, response: ServerResponse): void {
    this.#lastUsed = this.#clock.now();
    this.#checkBatch(messages, batch);
    const requests = messages.filter(isRequest);
    this.#checkIds(requests.map((request) => request.id));
    if (requests.length > 0) {
      const exchange = this.#openExchange(requests.length, batch, response);
      for (const request of requests) this.#exchanges.set(request.id, exchange);
    }
    for (const message of messages) this.#deliver(message);
    if (requests.length === 0) sendEmpty(response, 202);
  }

  /** Opens the standalone stream, or takes up a broken one. */
  get(cursor: Cursor | undefined, response: ServerResponse): void {
    this.#lastUsed = this.#clock.now();
    const stream = this.#streams.get(cursor?.stream ?? STANDALONE);
    if (stream) {
      stream.attach(openSse(response, { clock: this.#clock }), {
        after: cursor?.after,
        priming: this.#wantsPriming,
      });
      return;
    }
    const missed = cursor ? this.#log.after(cursor) : [];
    if (!cursor || missed.length === 0) {
      // 204 tells an event source not to come back: that stream has said all it had to say.
      sendEmpty(response, 204);
      return;
    }
    const reader = openSse(response, { clock: this.#clock });
    for (const event of missed) reader.write(event.frame);
    reader.end();
    this.#forgetLater(cursor.stream);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const error = new GatewayError(
      'SESSION_UNKNOWN',
      'the session has ended; open a new one with initialize',
    );
    for (const exchange of new Set(this.#exchanges.values())) exchange.fail(error);
    this.#exchanges.clear();
    for (const stream of [...this.#streams.values()]) stream.end();
    this.#receiver?.closed({ kind: 'closed', message: 'the session has ended' });
  }

  get #wantsPriming(): boolean {
    // Older clients take an event without data for a broken message.
    return this.#version !== undefined && this.#version >= FIRST_WITH_PRIMING;
  }

  #answer(id: RequestId, exchange: Exchange | undefined, message: ResponseMessage): void {
    this.#exchanges.delete(id);
    this.#lastUsed = this.#clock.now();
    exchange?.answer(message);
  }

  #deliver(message: Message): void {
    this.#receiver?.message(message);
    if (!('method' in message) || message.method !== 'notifications/cancelled') return;
    // A cancelled request is never answered, but its POST must end all the same.
    const id = message.params?.['requestId'];
    if (!isId(id)) return;
    const exchange = this.#exchanges.get(id);
    this.#exchanges.delete(id);
    exchange?.forget();
  }

  #openExchange(expected: number, batch: boolean, response: ServerResponse): Exchange {
    // The first answer of a session is the one to `initialize`: the id travels with it.
    const headers: OutgoingHttpHeaders = this.ready ? {} : { 'mcp-session-id': this.id };
    return new Exchange({
      response,
      clock: this.#clock,
      expected,
      batch,
      headers,
      openStream: () => this.#openStream(response, headers),
    });
  }

  #openStream(response: ServerResponse, headers: OutgoingHttpHeaders): MessageStream {
    this.#lastStream += 1;
    const key = this.#lastStream;
    const stream = new ResumableStream(key, this.#log, (isRead) => {
      this.#streams.delete(key);
      if (isRead) this.#forgetLater(key);
    });
    this.#streams.set(key, stream);
    stream.attach(openSse(response, { clock: this.#clock, headers }), { priming: this.#wantsPriming });
    return stream;
  }

  /** What was written may still be lost on its way, but is not kept for long for that. */
  #forgetLater(stream: number): void {
    if (!this.#closed) this.#clock.after(LOG_KEEP_MS, () => this.#log.forget(stream));
  }

  #checkBatch(messages: readonly Message[], batch: boolean): void {
    if (!batch) return;
    if (this.#version !== ONLY_WITH_BATCHES)
      throw new GatewayError(
        'INVALID_REQUEST',
        `batches exist only in revision ${ONLY_WITH_BATCHES}, and this session speaks ${this.#version}; send one message a POST`,
      );
    if (messages.some((message) => 'method' in message && message.method === 'initialize'))
      throw new GatewayError('INVALID_REQUEST', 'initialize cannot be part of a batch; send it alone');
  }

  #checkIds(ids: readonly RequestId[]): void {
    const seen = new Set<RequestId>();
    for (const id of ids) {
      if (seen.has(id) || this.#exchanges.has(id))
        throw new GatewayError(
          'INVALID_REQUEST',
          `request id ${JSON.stringify(id)} is in use by a request that still runs; use a new id`,
        );
      seen.add(id);
    }
  }
}

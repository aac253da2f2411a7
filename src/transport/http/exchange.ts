/** One POST and its answer: plain JSON when it is quick and silent, a stream as soon as it is not. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { CancelTimer, Clock } from '../../lib/clock.ts';
import { toText } from '../../wire/line-text.ts';
import { toBytes } from '../../wire/long-text.ts';
import type { Message, ResponseMessage } from '../../wire/message.ts';
import { STREAM_AFTER_MS } from '../limits.ts';
import { sendError, sendText } from './reply.ts';

/** Carries messages to the client one after another. */
export interface MessageStream {
  send(message: Message): void;
  end(): void;
}

/** What an exchange needs to know. */
export interface ExchangeOptions {
  readonly response: ServerResponse;
  readonly clock: Clock;
  /** How many answers the POST waits for. */
  readonly expected: number;
  /** True when several answers are sent as one JSON array. */
  readonly batch: boolean;
  readonly headers?: OutgoingHttpHeaders;
  /** Makes the stream when one is needed. */
  readonly openStream: () => MessageStream;
  /** The client went away before the answer was complete. */
  readonly onGone?: () => void;
}

/** One POST being answered. */
export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #answers: ResponseMessage[] = [];
  readonly #cancelTimer: CancelTimer;
  #stream: MessageStream | undefined;
  #waiting: number;
  #gone = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#waiting = options.expected;
    this.#cancelTimer = options.clock.after(STREAM_AFTER_MS, () => this.stream());
    options.response.on('close', () => {
      if (this.#waiting === 0 || this.#gone) return;
      this.#gone = true;
      this.#cancelTimer();
      options.onGone?.();
    });
  }

  /** Makes the answer a stream now. */
  stream(): void {
    if (this.#stream || this.#gone || this.#waiting === 0) return;
    this.#cancelTimer();
    this.#stream = this.#options.openStream();
    for (const answer of this.#answers.splice(0)) this.#stream.send(answer);
  }

  /** Sends a message that belongs to a request still running. */
  interim(message: Message): void {
    if (this.#waiting === 0) return;
    this.stream();
    this.#stream?.send(message);
  }

  /** Gives one of the expected answers; the last ends the exchange. */
  answer(message: ResponseMessage, status = 200): void {
    if (this.#waiting === 0) return;
    this.#waiting -= 1;
    if (this.#stream) this.#stream.send(message);
    else this.#answers.push(message);
    if (this.#waiting === 0) this.#finish(status);
  }

  /** Says that one of the expected answers will not come, since the client took its request back. */
  forget(): void {
    if (this.#waiting === 0) return;
    // Without any answer there is nothing to put into JSON: an empty stream is the only honest form.
    if (this.#waiting === 1 && this.#answers.length === 0 && !this.#stream && !this.#gone) this.#endEmpty();
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#finish(200);
  }

  /** Ends the exchange without further answers. */
  fail(error: Error): void {
    if (this.#waiting === 0) return;
    this.#waiting = 0;
    this.#cancelTimer();
    if (this.#stream) this.#stream.end();
    else sendError(this.#options.response, error);
  }

  #finish(status: number): void {
    this.#cancelTimer();
    if (this.#stream) this.#stream.end();
    else if (!this.#gone) {
      const { response, batch, headers, clock } = this.#options;
      // Taken out, not only read: while a slow client reads the text, the answers themselves need not be kept.
      const answers = this.#answers.splice(0);
      const [first] = answers;
      const bytes = first && !batch ? toBytes(first) : undefined;
      const text = () => (batch ? `[${answers.map(toText).join(',')}]` : first ? toText(first) : '');
      sendText(response, status, bytes ?? text(), headers, clock);
    }
  }

  #endEmpty(): void {
    const { response } = this.#options;
    if (response.headersSent || response.destroyed) return;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': 0 });
    response.end();
  }
}

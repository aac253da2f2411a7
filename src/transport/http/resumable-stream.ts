/** A stream of a legacy session that outlives its connection: what nobody reads waits in the session's log. */
import type { Message } from '../../wire/message.ts';
import { RETRY_MS } from '../limits.ts';
import { type EventLog, toEventId } from './event-log.ts';
import type { MessageStream } from './exchange.ts';
import type { Sse } from './sse.ts';

/** One stream and, while there is one, the connection that reads it. */
export class ResumableStream implements MessageStream {
  readonly key: number;
  readonly #log: EventLog;
  readonly #onEnd: (isRead: boolean) => void;
  #reader: Sse | undefined;
  /** The last event that was written to a connection. */
  #written = 0;

  /** At its end it says whether a connection was there to read it. */
  constructor(key: number, log: EventLog, onEnd: (isRead: boolean) => void = () => {}) {
    this.key = key;
    this.#log = log;
    this.#onEnd = onEnd;
  }

  /** True while a connection reads it. */
  get attached(): boolean {
    return this.#reader?.open === true;
  }

  /** Gives the stream a connection, in place of any it had, and sends what was missed. */
  attach(reader: Sse, options: { readonly after?: number | undefined; readonly priming: boolean }): void {
    const { after = this.#written, priming } = options;
    this.#reader?.end();
    this.#reader = reader;
    // An event with an id but no data lets the client resume even if nothing else arrives (2025-11-25).
    // Its id is where the client stands, so that one that breaks off here still gets what follows.
    const cursor = { stream: this.key, after };
    if (priming) reader.write(`id: ${toEventId(cursor)}\nretry: ${RETRY_MS}\ndata: \n\n`);
    for (const event of this.#log.after(cursor)) {
      reader.write(event.frame);
      this.#written = event.number;
    }
  }

  send(message: Message): void {
    const event = this.#log.append(this.key, message);
    if (!this.attached) return;
    this.#reader?.write(event.frame);
    this.#written = event.number;
  }

  end(): void {
    const isRead = this.attached;
    this.#reader?.end();
    this.#onEnd(isRead);
  }
}

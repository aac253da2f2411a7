/** What a legacy session has sent on its streams, bounded, so that a client that comes back misses nothing recent. */
import type { Message } from '../../wire/message.ts';
import { LOG_EVENT_LIMIT, LOG_SIZE_LIMIT } from '../limits.ts';
import { type Frame, toFrame } from './sse.ts';

/** A place in one stream: which stream, and after which event. */
export interface Cursor {
  readonly stream: number;
  readonly after: number;
}

/** One event as it went out. */
interface LoggedEvent {
  readonly stream: number;
  readonly number: number;
  readonly frame: Frame;
}

/** The events of one session; the oldest go first when the bounds are reached. */
export interface EventLog {
  /** Keeps a message as the next event of a stream. */
  append(stream: number, message: Message): LoggedEvent;
  /** What a stream has sent after an event, oldest first. */
  after(cursor: Cursor): readonly LoggedEvent[];
  /** Drops what a stream has sent. */
  forget(stream: number): void;
}

/** Creates an empty log. */
export function createEventLog(): EventLog {
  let events: LoggedEvent[] = [];
  let size = 0;
  let last = 0;

  function trim(): void {
    while (events.length > 1 && (events.length > LOG_EVENT_LIMIT || size > LOG_SIZE_LIMIT))
      size -= events.shift()?.frame.length ?? 0;
  }

  return {
    append(stream, message) {
      last += 1;
      const event = { stream, number: last, frame: toFrame(message, toEventId({ stream, after: last })) };
      events.push(event);
      size += event.frame.length;
      trim();
      return event;
    },
    after: ({ stream, after }) => events.filter((event) => event.stream === stream && event.number > after),
    forget(stream) {
      events = events.filter((event) => event.stream !== stream);
      size = events.reduce((sum, { frame }) => sum + frame.length, 0);
    },
  };
}

/** Reads the id of an event; undefined when it is none of ours. */
export function parseEventId(text: string): Cursor | undefined {
  const match = /^(\d{1,12})-(\d{1,12})$/.exec(text);
  return match ? { stream: Number(match[1]), after: Number(match[2]) } : undefined;
}

/** The id of an event: the place behind it. */
export function toEventId({ stream, after }: Cursor): string {
  return `${stream}-${after}`;
}

/** A stream of server-sent events on one HTTP answer: framing, keep-alive, and an end for readers who do not read. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import type { Message } from '../../wire/message.ts';
import { BACKLOG_LIMIT, KEEP_ALIVE_MS } from '../limits.ts';

/** An open stream of events. */
export interface Sse {
  write(frame: string): void;
  end(): void;
  readonly open: boolean;
}

/** How a stream begins and who hears of its end. */
export interface SseOptions {
  readonly clock: Clock;
  readonly headers?: OutgoingHttpHeaders | undefined;
  /** Called once, whoever ended it. */
  readonly onClosed?: () => void;
}

const HEADERS: OutgoingHttpHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Proxies would otherwise hold events back until a buffer is full.
  'x-accel-buffering': 'no',
};

/** Turns an answer whose headers are not sent yet into a stream of events. */
export function openSse(response: ServerResponse, options: SseOptions): Sse {
  const { clock, onClosed } = options;
  let open = !response.destroyed;
  let cancelTimer = (): void => {};

  function closed(): void {
    if (!open) return;
    open = false;
    cancelTimer();
    onClosed?.();
  }

  function write(frame: string): void {
    if (!open) return;
    if (response.writableLength > BACKLOG_LIMIT) response.destroy();
    else response.write(frame);
  }

  function keepAlive(): void {
    cancelTimer = clock.after(KEEP_ALIVE_MS, () => {
      write(':\n\n');
      if (open) keepAlive();
    });
  }

  if (open) {
    response.writeHead(200, { ...HEADERS, ...options.headers });
    response.flushHeaders();
    response.on('close', closed);
    keepAlive();
  } else onClosed?.();

  return {
    write,
    end() {
      if (!open) return;
      response.end();
      closed();
    },
    get open() {
      return open;
    },
  };
}

/** One message as an event, with an id when it can be asked for again. */
export function toFrame(message: Message, id?: string): string {
  // JSON.stringify escapes line breaks, so the data is always one line.
  const head = id === undefined ? '' : `id: ${id}\n`;
  return `${head}event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

/** A stream of server-sent events on one HTTP answer: framing, keep-alive, and an end for readers who do not read. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import { Outlet } from '../../wire/line-outlet.ts';
import { toText } from '../../wire/line-text.ts';
import { toBytes } from '../../wire/long-text.ts';
import type { Message } from '../../wire/message.ts';
import { BACKLOG_LIMIT, KEEP_ALIVE_MS } from '../limits.ts';

/** One event as it goes out: text, or a long one as bytes. */
export type Frame = string | Buffer;

/** An open stream of events. */
export interface Sse {
  write(frame: Frame): void;
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
  const outlet = openOutlet(response, clock);

  function closed(): void {
    if (!open) return;
    open = false;
    cancelTimer();
    onClosed?.();
  }

  function keepAlive(): void {
    cancelTimer = clock.after(KEEP_ALIVE_MS, () => {
      if (outlet.waiting === 0) outlet.write(':\n\n');
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
    write: (frame) => {
      if (open) outlet.write(frame);
    },
    end() {
      if (!open) return;
      void outlet.finish();
      closed();
    },
    get open() {
      return open;
    },
  };
}

/** Writes to a client as fast as it reads; one that does not read is cut off. */
export function openOutlet(response: ServerResponse, clock: Clock): Outlet {
  return new Outlet({
    output: response,
    clock,
    limitBytes: BACKLOG_LIMIT,
    onStalled: () => response.destroy(),
  });
}

/** One message as an event, with an id when it can be asked for again. */
export function toFrame(message: Message, id?: string): Frame {
  // JSON escapes line breaks, so the data is always one line.
  const head = `${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: `;
  return toBytes(message, head, '\n\n') ?? `${head}${toText(message)}\n\n`;
}

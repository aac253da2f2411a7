/** An incremental parser of `text/event-stream`, right wherever the bytes happen to be split. */

/** One dispatched event. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
  /** The last event id of the stream, as of this event. */
  readonly id: string | undefined;
}

/** What a parser hands over. */
export interface SseSink {
  event(event: SseEvent): void;
  /** The server asks to wait this long before a reconnection. */
  retry?(delayMs: number): void;
  /** An event grew past the limit and is dropped. */
  overflow?(bytes: number): void;
}

const LF = 10;
const CR = 13;

/** Creates a function that takes chunks and calls the sink for each whole event. */
export function createSseParser(limitBytes: number, sink: SseSink): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let afterCr = false;
  let firstLine = true;
  let size = 0;
  let oversized = false;
  let data: string[] = [];
  let event = '';
  let lastId: string | undefined;

  function dispatch(): void {
    if (oversized) sink.overflow?.(size);
    else if (data.length > 0) sink.event({ event: event || 'message', data: data.join('\n'), id: lastId });
    data = [];
    event = '';
    size = 0;
    oversized = false;
  }

  function setField(name: string, value: string): void {
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) lastId = value;
    else if (name === 'retry' && /^\d+$/.test(value)) sink.retry?.(Number(value));
  }

  function onLine(raw: string): void {
    const line = firstLine ? raw.replace(/^\uFEFF/, '') : raw;
    firstLine = false;
    const colon = line.indexOf(':');
    if (line === '') dispatch();
    else if (oversized || colon === 0) return;
    else if (colon === -1) setField(line, '');
    else setField(line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1));
  }

  function take(piece: Buffer): void {
    size += piece.length;
    if (size > limitBytes) {
      oversized = true;
      // One byte stays, so that the rest of the line is not taken for the blank line that ends an event.
      parts = [piece.subarray(0, 1)];
      data = [];
    } else parts.push(piece);
  }

  return (chunk) => {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte !== LF && byte !== CR) {
        afterCr = false;
        continue;
      }
      if (byte === LF && afterCr) {
        afterCr = false;
        start = at + 1;
        continue;
      }
      if (at > start) take(chunk.subarray(start, at));
      const line = parts.length === 0 ? '' : Buffer.concat(parts).toString('utf8');
      parts = [];
      start = at + 1;
      afterCr = byte === CR;
      onLine(line);
    }
    if (start < chunk.length) take(chunk.subarray(start));
  };
}

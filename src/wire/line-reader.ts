/** Cuts a byte stream into lines without ever holding more than one line's limit. */

/** What a reader hands over. */
export interface LineSink {
  line(bytes: Buffer): void;
  /** A line grew past the limit; its bytes are dropped up to the next newline. */
  overflow(seenBytes: number): void;
}

const NEWLINE = 10;

/** Creates a function that takes chunks and calls the sink for each whole line. */
export function createLineReader(limitBytes: number, sink: LineSink): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  let dropping = false;

  function take(piece: Buffer): void {
    held += piece.length;
    if (dropping) return;
    if (held > limitBytes) {
      dropping = true;
      parts = [];
    } else parts.push(piece);
  }

  function finish(): void {
    const [first] = parts;
    if (dropping) sink.overflow(held);
    else if (first !== undefined) sink.line(parts.length === 1 ? first : Buffer.concat(parts, held));
    parts = [];
    held = 0;
    dropping = false;
  }

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      if (end > start) take(chunk.subarray(start, end));
      finish();
      start = end + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  };
}

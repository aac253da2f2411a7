/** Cuts a byte stream into lines without ever holding more than one line's limit. */

/** What is known of a line that was dropped for its length. */
export interface OversizedLine {
  readonly bytes: number;
  /** Its first bytes. */
  readonly head: Buffer;
  /** Its last bytes. */
  readonly tail: Buffer;
}

/** What a reader hands over. */
export interface LineSink {
  line(bytes: Buffer): void;
  /** Takes the pieces of a long line where it can: joined they would be held twice. */
  longLine?(pieces: Buffer[]): void;
  /** A line grew past the limit; its bytes were dropped up to the next newline. */
  overflow(line: OversizedLine): void;
}

const NEWLINE = 10;
const KEPT_BYTES = 256;
const NOTHING = Buffer.alloc(0);
const LONG_BYTES = 1024 * 1024;
/** Bytes that come one by one cost far more than their number: past this many pieces they are joined. */
const PIECES = 1_024;

/** Creates a function that takes chunks and calls the sink for each whole line. */
export function createLineReader(limitBytes: number, sink: LineSink): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  let head: Buffer | undefined;
  let tail: Buffer = NOTHING;

  function take(piece: Buffer): void {
    held += piece.length;
    if (head === undefined && held <= limitBytes) {
      parts.push(piece);
      if (parts.length > PIECES) parts = [Buffer.concat(parts, held)];
      return;
    }
    if (head === undefined) {
      head = firstBytes([...parts, piece]);
      tail = lastBytes([...parts, piece]);
      parts = [];
    } else tail = lastBytes([tail, piece]);
  }

  function finish(): void {
    const [first] = parts;
    if (head !== undefined) sink.overflow({ bytes: held, head, tail });
    else if (held > LONG_BYTES && sink.longLine) sink.longLine(parts);
    else if (first !== undefined) sink.line(parts.length === 1 ? first : Buffer.concat(parts, held));
    parts = [];
    held = 0;
    head = undefined;
    tail = NOTHING;
  }

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      if (held === 0 && end - start <= limitBytes) {
        if (end > start) sink.line(chunk.subarray(start, end));
      } else {
        if (end > start) take(chunk.subarray(start, end));
        finish();
      }
      start = end + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  };
}

function firstBytes(parts: readonly Buffer[]): Buffer {
  const kept: Buffer[] = [];
  let size = 0;
  for (const part of parts) {
    if (size >= KEPT_BYTES) break;
    kept.push(part.subarray(0, KEPT_BYTES - size));
    size += part.length;
  }
  return Buffer.concat(kept);
}

function lastBytes(parts: readonly Buffer[]): Buffer<ArrayBuffer> {
  const kept: Buffer[] = [];
  let size = 0;
  for (const part of parts.toReversed()) {
    if (size >= KEPT_BYTES) break;
    kept.unshift(part.subarray(-(KEPT_BYTES - size)));
    size += part.length;
  }
  return Buffer.concat(kept);
}
